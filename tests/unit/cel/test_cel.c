/* CEL: what expressions mean, which do not compile, and that all of them end. */
#include "api/json.h"
#include "base/arena.h"
#include "base/util.h"
#include "cel/cel.h"
#include "cel/cel_admission.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static const char schema_text[] =
        "{'type':'object','properties':{"
        "'spec':{'type':'object','properties':{"
        "'name':{'type':'string'},'count':{'type':'integer'},'share':{'type':'number'},"
        "'on':{'type':'boolean'},'port':{'x-kubernetes-int-or-string':true},"
        "'data':{'type':'string','format':'byte'},"
        "'since':{'type':'string','format':'date-time'},"
        "'day':{'type':'string','format':'date'},"
        "'every':{'type':'string','format':'duration'},'size':{'type':'string'},"
        "'a-b.c/d':{'type':'string'},'namespace':{'type':'string'},'x__y':{'type':'integer'},"
        "'tags':{'type':'array','items':{'type':'string'}},"
        "'kinds':{'type':'array','x-kubernetes-list-type':'set','items':{'type':'string'}},"
        "'ports':{'type':'array','x-kubernetes-list-type':'map','x-kubernetes-list-map-keys':"
        "['name'],'items':{'type':'object','properties':{'name':{'type':'string'},'number':"
        "{'type':'integer'}}}},"
        "'labels':{'type':'object','additionalProperties':{'type':'string'}},"
        "'free':{'type':'object','x-kubernetes-preserve-unknown-fields':true},"
        "'any':{'x-kubernetes-preserve-unknown-fields':true},"
        "'missing':{'type':'string'},'empty':{'type':'array','items':{'type':'integer'}}"
        "}}}}";
static const char object_text[] =
        "{'apiVersion':'x/v1','kind':'X','metadata':{'name':'me'},'spec':{"
        "'name':'h\xc3\xa9llo','count':3,'share':0.5,'on':true,'port':80,'data':'aGk=',"
        "'since':'2026-01-02T03:04:05Z','day':'2026-01-02','every':'1h30m','size':'1500m',"
        "'a-b.c/d':'odd','namespace':'ns','x__y':7,'tags':['a','b','c'],'kinds':['x','y'],"
        "'ports':[{'name':'p','number':1},{'name':'q','number':2}],'labels':{'k':'v','e':''},"
        "'free':{'z':1},'any':{'z':1},'empty':[]}}";
static const char old_text[] = "{'apiVersion':'x/v1','kind':'X','metadata':{'name':'me'},'spec':{"
                               "'name':'old','count':2,'share':0.5,'kinds':['y','x'],"
                               "'ports':[{'name':'q','number':2},{'name':'p','number':1}]}}";

#define LONG_LABEL "0123456789012345678901234567890123456789012345678901234567890123"

/* One expression is compiled and evaluated over the object above. What is expected: true, false,
 * "!TEXT" for an error of evaluation, "?TEXT" for one of compilation (a part of either). */
struct expression {
        const char *source, *expected;
};

static const struct expression literals[] = {
        { "1 == 1", "true" },
        { "0x1F == 31 && -0x1 == -1", "true" },
        { "1u == 1u && 5u - 3u == 2u", "true" },
        { "-9223372036854775808 < 0", "true" },
        { "9223372036854775808 > 0", "?invalid int literal" },
        { "1.5e3 == 1500.0 && .5 == 0.5", "true" },
        { "'a' == \"a\" && '''a'b''' == \"a'b\"", "true" },
        { "r'\\d' == '\\\\d'", "true" },
        { "'\\x41\\u00e9\\n\\101' == 'A\xc3\xa9\\nA'", "true" },
        { "b'\\xff'.size() == 1 && b'a' != b'b'", "true" },
        { "'\\q' == ''", "?invalid escape" },
        { "'open", "?token recognition error at: ''open'" },
        { "[1, 2, ].size() == 2", "true" },
        { "{'a': 1, 'b': 2}.size() == 2", "true" },
        { "{'a': 1, 'a': 2} == {'a': 2}", "true" },
        { "[1, 'a'].size() == 2", "?expected type 'int' but found 'string'" },
        { "null == null", "true" },
        { "true // comment\n && true", "true" },
        { "type(1) == int && type('') == string && type(1) != uint", "true" },
};

static const struct expression operators[] = {
        { "1 + 2 * 3 == 7 && (1 + 2) * 3 == 9", "true" },
        { "7 / 2 == 3 && -7 / 2 == -3 && -7 % 2 == -1", "true" },
        { "1 / 0 == 1", "!division by zero" },
        { "1 % 0 == 1", "!modulus by zero" },
        { "9223372036854775807 + 1 > 0", "!integer overflow" },
        { "-(-9223372036854775807 - 1) > 0", "!integer overflow" },
        { "9223372036854775807 * 2 > 0", "!integer overflow" },
        { "1u - 2u > 0u", "!unsigned integer overflow" },
        { "1.0 / 0.0 > 1e300", "true" },
        { "double('NaN') < 1.0 || double('NaN') >= 1.0", "false" },
        { "1 < 2 && 2 <= 2 && 3 > 2 && 2 >= 3", "false" },
        { "1 < 1.5 && 2u > 1", "true" },
        { "'a' < 'b' && b'a' < b'b' && false < true", "true" },
        { "1 == 1.0", "?found no matching overload for '_==_' applied to '(int, double)'" },
        { "duration('1h') == 1",
          "?found no matching overload for '_==_' applied to '(duration, int)'" },
        { "[timestamp('2020-01-01T00:00:00Z')] == 1",
          "?found no matching overload for '_==_' applied to '(list(timestamp), int)'" },
        { "dyn(1) == 1.0 && dyn(1u) == 1", "true" },
        { "1 + 'a' == ''", "?found no matching overload for '_+_' applied to '(int, string)'" },
        { "'a' + 'b' == 'ab' && [1] + [2] == [1, 2]", "true" },
        { "2 in [1, 2] && !(3 in [1, 2])", "true" },
        { "'a' in {'a': 1} && !('b' in {'a': 1})", "true" },
        { "1 in 'abc'", "?found no matching overload for '@in'" },
        { "true ? true : false", "true" },
        { "(1 > 2 ? 'a' : 'b') == 'b'", "true" },
        { "1 ? true : false", "?found no matching overload for '_?_:_'" },
        { "!true || !!true", "true" },
        { "!1", "?found no matching overload for '!_'" },
        { "--1 == 1 && -(1) == -1", "true" },
        { "1 + 2", "?cel expression must evaluate to a bool" },
        { "dyn(true)", "?cel expression must evaluate to a bool" },
        { "'a' || true", "?expected type 'bool' but found 'string'" },
};

/* An error counts only where nothing else decides. */
static const struct expression absorbing[] = {
        { "1 / 0 == 1 || true", "true" },
        { "true || 1 / 0 == 1", "true" },
        { "1 / 0 == 1 && false", "false" },
        { "false && 1 / 0 == 1", "false" },
        { "1 / 0 == 1 || false", "!division by zero" },
        { "1 / 0 == 1 && true", "!division by zero" },
        { "1 / 0 == 1 || 1 % 0 == 1", "!division by zero" },
        { "[0, 1].exists(x, 1 / x == 1)", "true" },
        { "[0, 2].exists(x, 1 / x == 1)", "!division by zero" },
        { "[0, 2].all(x, 1 / x == 1)", "false" },
        { "[0, 1].all(x, 1 / x == 1)", "!division by zero" },
        { "[0, 1].exists_one(x, 1 / x == 1)", "!division by zero" },
        { "true ? true : 1 / 0 == 1", "true" },
        { "1 / 0 == 1 ? true : true", "!division by zero" },
};

static const struct expression fields[] = {
        { "self.spec.count == 3 && self.spec.on", "true" },
        { "self.metadata.name == 'me' && self.kind == 'X'", "true" },
        { "self.metadata.labels.size() == 0", "?undefined field 'labels'" },
        { "self.spec.nothing == 1", "?undefined field 'nothing'" },
        { "self.spec.missing == ''", "!no such key: missing" },
        { "has(self.spec.missing) || has(self.spec.nothing)", "?undefined field 'nothing'" },
        { "has(self.spec.missing)", "false" },
        { "has(self.spec.name) && has(self.spec.labels.k) && !has(self.spec.labels.q)", "true" },
        { "has(self)", "?invalid argument to has() macro" },
        { "has(self.spec.tags[0])", "?invalid argument to has() macro" },
        { "self.spec.count.x == 1", "?type 'int' does not support field selection" },
        { "other == 1", "?undeclared reference to 'other' (in container '')" },
        { "self.spec.a__dash__b__dot__c__slash__d == 'odd'", "true" },
        { "self.spec.`a-b.c/d` == 'odd'", "true" },
        { "self.spec.__namespace__ == 'ns'", "true" },
        { "self.spec.namespace == 'ns'", "?undefined field 'namespace'" },
        { "self.spec.x__underscores__y == 7", "true" },
        { "self.spec.tags[1] == 'b'", "true" },
        { "self.spec.tags[3] == 'b'", "!index out of bounds: 3" },
        { "self.spec.tags[-1] == 'b'", "!index out of bounds: -1" },
        { "self.spec.tags['x'] == 'b'", "?found no matching overload for '_[_]'" },
        { "self.spec.labels['k'] == 'v' && self.spec.labels.k == 'v'", "true" },
        { "self.spec.labels['q'] == 'v'", "!no such key: q" },
        { "'k' in self.spec.labels && self.spec.labels.all(k, k.size() == 1)", "true" },
        { "self.spec.port == 80 && type(self.spec.port) == int", "true" },
        { "self.spec.port.startsWith('a')", "!no such overload" },
        { "self.spec.data == b'hi'", "true" },
        { "self.spec.share == 0.5", "true" },
        { "self.spec.free.z == 1", "?undefined field 'z'" },
        { "self.spec.any.z == 1", "?undefined field 'any'" },
        { "self.spec.ports.exists(p, p.name == 'q' && p.number == 2)", "true" },
        { "self.spec.ports[0].nope == 1", "?undefined field 'nope'" },
        { "self.spec.empty.all(x, x > 5)", "true" },
        { "self.?spec.?missing.orValue('none') == 'none'", "true" },
        { "self.spec.?name.hasValue() && self.spec.labels[?'k'].orValue('') == 'v'", "true" },
        { "self.spec.tags[?9].orValue('z') == 'z' && !self.spec.?missing.hasValue()", "true" },
        { "self.spec.?name.optMap(n, n.size()).orValue(0) == 5", "true" },
        { "optional.of(1).value() == 1 && optional.none().or(optional.of(2)).value() == 2",
          "true" },
        { "optional.none().value() == 1", "!optional.none() dereference" },
        { "optional.ofNonZeroValue('').hasValue()", "false" },
};

static const struct expression transitions[] = {
        { "self.spec.count >= oldSelf.spec.count", "true" },
        { "self.spec.name == oldSelf.spec.name", "false" },
        { "self.spec.share == oldSelf.spec.share", "true" },
        { "self.spec.kinds == oldSelf.spec.kinds", "true" }, /* a set has no order */
        { "self.spec.ports == oldSelf.spec.ports", "true" },
        { "self == oldSelf", "false" },
        { "self.spec.kinds + ['x', 'z'] == ['x', 'y', 'z']", "true" },
        { "self.spec.tags + ['a'] == ['a', 'b', 'c', 'a']", "true" },
        { "(self.spec.ports + oldSelf.spec.ports).size() == 2", "true" },
};

static const struct expression macros[] = {
        { "[1, 2, 3].all(x, x > 0)", "true" },
        { "[1, 2, 3].exists(x, x > 2)", "true" },
        { "[1, 2, 3].exists_one(x, x > 1) || [1, 2].existsOne(x, x > 1)", "true" },
        { "[1, 2, 3].map(x, x * 2) == [2, 4, 6]", "true" },
        { "[1, 2, 3].map(x, x > 1, x * 2) == [4, 6]", "true" },
        { "[1, 2, 3].filter(x, x % 2 == 1) == [1, 3]", "true" },
        { "{'a': 1, 'b': 2}.map(k, k) == ['a', 'b']", "true" },
        { "{'a': 1, 'b': 2}.filter(k, k != 'a') == ['b']", "true" },
        { "{'a': 1}.all(k, v, k == 'a' && v == 1)", "true" },
        { "[5, 6].exists(i, v, i == 1 && v == 6)", "true" },
        { "[5, 6].transformList(i, v, i + v) == [5, 7]", "true" },
        { "{'a': 1, 'b': 2}.transformMap(k, v, v > 1, v * 2) == {'b': 4}", "true" },
        { "{'a': 'x', 'b': 'y'}.transformMapEntry(k, v, {v: k}) == {'x': 'a', 'y': 'b'}", "true" },
        { "[5, 6].transformMapEntry(i, v, i > 0, {v: i}) == {6: 1}", "true" },
        { "[5].transformMapEntry(i, v, {}) == {}", "true" },
        { "[5, 5].transformMapEntry(i, v, {v: i}) == {}", "!insert failed: key 5 already exists" },
        { "[5].transformMapEntry(i, v, v) == {}",
          "?found no matching overload for 'cel.@mapInsert' applied to '(map(" },
        { "[5].transformMapEntry(v, {}) == {}", "?undeclared reference to 'transformMapEntry'" },
        { "[[1], [2, 3]].all(x, x.all(y, y > 0))", "true" },
        { "[1].all(self, self == 1)", "true" }, /* variables hide what is outside */
        { "cel.bind(x, 2, x * x) == 4", "?undeclared reference to 'cel'" },
        { "[1, 2].first().value() == 1 && [1, 2].last().value() == 2", "true" },
        { "[].first().hasValue()", "false" },
        { "[1].all(1, true)", "?argument must be a simple name" },
        { "[1].all(x, x)", "?expected type 'bool' but found 'int'" },
        { "[1].exists_one(x, x)", "?'_?_:_' applied to '(int, int, int)'" },
        { "['a'].filter(x, x) == []",
          "?'_?_:_' applied to '(string, list(string), list(string))'" },
        { "['a'].map(x, x, 1) == []", "?'_?_:_' applied to '(string, list(int), list(int))'" },
        { "[1].transformMap(i, v, i, {}) == {}",
          "?'_?_:_' applied to '(int, map(int, map(dyn, dyn)), map(int, map(dyn, dyn)))'" },
        { "[1].all(x, x, x > 0)", "?1:12: duplicate variable name: x" },
        { "[1].all(__result__, true)", "?1:9: iteration variable overwrites accumulator variable" },
        { "'abc'.all(x, true)", "?cannot be range of a comprehension" },
        { "[1].all(x)", "?undeclared reference to 'x'" },
};

/* As a kube-apiserver 1.36 wrote them. */
static const struct expression string_formats[] = {
        { "'%s %s'.format([[1, 2], true]) == '[1, 2] true'", "true" },
        { "'%s'.format([['a', 'b\"c', '\\u200b']]) == r'[\"a\", \"b\\\"c\", \"\\u200b\"]'",
          "true" },
        { "'%s'.format([[1, 2u, 3.0, 1e20, double('NaN'), -double('Infinity')]]) == "
          "'[1, 2, 3.000000, 100000000000000000000.000000, \"NaN\", \"-Inf\"]'",
          "true" },
        { "'%s'.format([[timestamp('2023-02-03T23:31:20Z'), duration('1h2m3.5s'), null, b'ab']]) "
          "== '[timestamp(\"2023-02-03T23:31:20Z\"), duration(\"3723.5s\"), null, b\"ab\"]'",
          "true" },
        { "'%s'.format([{'b': [1.0], 'a': {2: true, 10: 'x'}}]) == "
          "'{\"a\":{10:\"x\", 2:true}, \"b\":[1.000000]}'",
          "true" },
        { "'%s %s %s'.format([1.5, 1e20, int]) == '1.5 1e+20 int'", "true" },
        { "'%f %.2f %.0f'.format([-1234567.891, 999999.999, 2.5]) == "
          "'-1,234,567.891000 1,000,000.00 2'",
          "true" },
        { "'%f|%f|%e|%e'.format([double('Infinity'), 'NaN', '-Infinity', 'NaN']) == "
          "'\u221e|NaN|    -\u221e|   NaN'",
          "true" },
        { "'%e %.1e'.format([-1.5e-9, 1500.0]) == '-1.500000×10⁻⁰⁹ 1.500000×10⁰³'", "true" },
        { "'%b %b %o %x %X %x'.format([5, true, -8, 'h\u00e9', b'\\xffz', -10]) == "
          "'101 1 -10 68c3a9 FF7A -a'",
          "true" },
        { "'%%%s'.format([1]) == '%1'", "true" },
        { "'%d'.format(['x']) == ''",
          "?1:14: error during formatting: decimal clause can only be used on integers, was given "
          "string" },
        { "'%s'.format([{'a': [ip('1.2.3.4')]}]) == ''",
          "?1:23: error during formatting: string clause can only be used on strings, bools, "
          "bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given net.IP" },
        { "'%f'.format([1]) == ''", "?fixed-point clause can only be used on doubles" },
        { "'%q'.format([1]) == ''",
          "?1:12: could not parse formatting clause: unrecognized formatting clause \"q\"" },
        { "'%.f'.format([1.0]) == ''",
          "?error while converting precision to integer: strconv.Atoi: parsing \"\": invalid "
          "syntax" },
        { "'%.5'.format([1.0]) == ''", "?could not find end of precision specifier" },
        { "'%'.format([1]) == ''", "?1:11: unexpected end of string" },
        { "'%d %d'.format([1]) == ''", "?1:15: index 1 out of range" },
        { "'%s'.format([1, 2]) == ''",
          "?too many arguments supplied to string.format (expected 1, got 2)" },
        { "'%d'.format([dyn('x')]) == ''",
          "!error during formatting: decimal clause can only be used on integers, was given "
          "string" },
        { "'%s'.format([[dyn(quantity('1'))]]) == ''", "!no formatting function for kubernetes" },
        { "'%f'.format(['x']) == ''", "!fixed-point clause can only be used on doubles" },
        { "('%d ' + '%d').format([1]) == ''", "!index 1 out of range" },
        { "('%.1000000000' + 'f').format([1.0]).size() > 100000", "true" },
};

/* Types of parameters that belong together. */
static const struct expression fits[] = {
        { "['a'].indexOf(1) == 0",
          "?found no matching overload for 'indexOf' applied to 'list(string).(int)'" },
        { "[dyn(1)].indexOf('a') == -1 && dyn(['a']).lastIndexOf(1) == -1", "true" },
        { "optional.of(1).orValue('a') == 1",
          "?found no matching overload for 'orValue' applied to 'optional_type(int).(string)'" },
        { "optional.of('a').or(optional.of(1)).hasValue()",
          "?'or' applied to 'optional_type(string).(optional_type(int))'" },
        { "optional.none().orValue(1) == 1 && optional.none().or(optional.of(1)).value() == 1",
          "true" },
        { "sets.contains(['a'], [1])", "?'sets.contains' applied to '(list(string), list(int))'" },
        { "['a'] + [1] == []", "?'_+_' applied to '(list(string), list(int))'" },
        { "['a'] + [] == ['a']", "true" },
        { "['a'].sum() == 1", "?'sum' applied to 'list(string).()'" },
        { "[1].join() == 'a'", "?'join' applied to 'list(int).()'" },
        { "[[1]].min() == [1]", "?'min' applied to 'list(list(int)).()'" },
        { "[{'a': 1}].sortBy(x, x) == []", "?'@sortByAssociatedKeys' applied to 'list(map(string, "
                                           "int)).(list(map(string, int)))'" },
};

static const struct expression strings[] = {
        { "self.spec.name.size() == 5 && size('') == 0", "true" },
        { "'abc'.startsWith('ab') && 'abc'.endsWith('bc') && 'abc'.contains('b')", "true" },
        { "'abc'.matches('^a.c$') && !matches('abc', 'x') && 'xaby'.matches('a(b|c)')", "true" },
        { "'abc'.matches('(')", "?<input>:1:15: invalid matches argument" },
        { "'abc'.matches(self.spec.name + '(')", "!error parsing regexp" },
        { "'HeLLo'.lowerAscii() == 'hello' && 'a'.upperAscii() == 'A'", "true" },
        { "'a,b,c'.split(',') == ['a', 'b', 'c'] && 'a,b,c'.split(',', 2) == ['a', 'b,c']",
          "true" },
        { "'ab'.split('') == ['a', 'b'] && ''.split(',') == [''] && 'a'.split(',', 0) == []",
          "true" },
        { "['a', 'b'].join('-') == 'a-b' && ['a', 'b'].join() == 'ab'", "true" },
        { "'h\xc3\xa9llo'.substring(1, 3) == '\xc3\xa9l' && 'abc'.substring(1) == 'bc'", "true" },
        { "'abc'.substring(2, 1) == ''", "!invalid substring range" },
        { "'abc'.substring(4) == ''", "!index out of range: 4" },
        { "'h\xc3\xa9llo'.charAt(1) == '\xc3\xa9' && 'a'.charAt(1) == ''", "true" },
        { "'h\xc3\xa9llo'.indexOf('l') == 2 && 'abab'.lastIndexOf('ab') == 2", "true" },
        { "'abab'.indexOf('ab', 1) == 2 && 'abab'.lastIndexOf('ab', 1) == 0", "true" },
        { "'abc'.indexOf('x') == -1 && 'abc'.indexOf('') == 0", "true" },
        { "'abab'.replace('b', 'cc') == 'accacc' && 'abab'.replace('b', '', 1) == 'aab'", "true" },
        { "'ab'.replace('', '-') == '-a-b-'", "true" },
        { "' a '.trim() == 'a'", "true" },
        { "'ab'.reverse() == 'ba'", "?found no matching overload for 'reverse'" },
        { "'%s is %d (%.1f), %x%%'.format(['x', 3, 2.25, 255]) == 'x is 3 (2.2), ff%'", "true" },
        { "'abc'.startsWith(1)", "?'startsWith' applied to 'string.(int)'" },
        { "'abc'.nothing()", "?undeclared reference to 'nothing'" },
};

static const struct expression functions[] = {
        { "int('42') == 42 && int(3.9) == 3 && int(5u) == 5", "true" },
        { "int('x') == 0",
          "?program instantiation failed: type conversion error from 'string' to 'int'" },
        { "int(self.spec.name) == 0", "!type conversion error from 'string' to 'int'" },
        { "int(dyn(1e30)) == 0", "?program instantiation failed: integer overflow" },
        { "uint(dyn(-1)) == 0u", "?program instantiation failed: unsigned integer overflow" },
        { "double('1.5') == 1.5 && string(1.5) == '1.5' && string(1) == '1'", "true" },
        { "bool('true') && string(true) == 'true'", "true" },
        { "string(dyn(b'\\xff')) == ''", "?program instantiation failed: invalid UTF-8" },
        { "self.spec.empty.sum() == 0 && [1, 2].sum() == 3 && [1.5, 1.5].sum() == 3.0", "true" },
        { "[3, 1, 2].min() == 1 && [3, 1, 2].max() == 3", "true" },
        { "self.spec.empty.max() == 0", "!max called on empty list" },
        { "[1, 2, 2].isSorted() && !['b', 'a'].isSorted()", "true" },
        { "['a', 'b', 'a'].indexOf('a') == 0 && ['a', 'b', 'a'].lastIndexOf('a') == 2", "true" },
        { "[1, 2, 3].slice(1, 3) == [2, 3] && [1, 1, 2].distinct() == [1, 2]", "true" },
        { "sets.contains([1, 2], [2]) && !sets.intersects([1], [2])", "true" },
        { "sets.equivalent([1, 2], [2, 1, 1])", "true" },
        { "'abcab'.findAll('a(b|bc)') == ['ab', 'ab'] && 'abc'.find('b.') == 'bc'", "true" },
        { "'aaa'.findAll('a', 2).size() == 2 && 'a'.find('x') == ''", "true" },
        { "'h\xc3\xa9'.findAll('x*') == ['', '', '']", "true" },
        { "'a'.findAll('(').size() == 0",
          "?program instantiation failed: error parsing regexp: missing closing ): `(`" },
        { "[[1], [2, 3]].flatten() == [1, 2, 3]", "true" },
        { "[[[1]], [[2]]].flatten().size() == 2 && [[[1]], [[2]]].flatten(2) == [1, 2]", "true" },
        { "['bb', 'a', 'cc'].sortBy(x, size(x)) == ['a', 'bb', 'cc']", "true" },
        { "['b'].sortBy(x, x.nope())", "?undeclared reference to 'nope'" },
        { "[1, ?optional.none(), ?optional.of(2)] == [1, 2]", "true" },
        { "1 == null", "?found no matching overload for '_==_'" },
        { "duration('1h30m') == self.spec.every && duration('90m') == duration('1h30m')", "true" },
        { "duration('1h').getMinutes() == 60 && string(duration('90s')) == '90s'", "true" },
        { "duration('x') == duration('1s')", "?1:10: invalid duration argument" },
        { "duration(dyn('x')) == duration('1s')",
          "?program instantiation failed: type conversion error" },
        { "self.spec.since - timestamp('2026-01-02T03:00:00Z') == duration('4m5s')", "true" },
        { "self.spec.since + duration('1h') > self.spec.since", "true" },
        { "self.spec.since.getFullYear() == 2026 && self.spec.since.getMonth() == 0", "true" },
        { "self.spec.since.getDate() == 2 && self.spec.since.getDayOfMonth() == 1", "true" },
        { "self.spec.since.getHours() == 3 && self.spec.since.getHours('+02:00') == 5", "true" },
        { "self.spec.since.getHours('+99:99') == 7", "true" },
        { "self.spec.since.getHours('x') == 7", "!unknown time zone x" },
        { "self.spec.since.getMilliseconds('-1:00') == 0", "true" },
        { "timestamp('1700-02-28T00:00:00Z').getFullYear('-2562047:0') == 1407", "true" },
        { "timestamp('1700-02-28T00:00:00Z').getDayOfYear('-2562047:0') == 323", "true" },
        { "self.spec.since.getDayOfWeek() == 5 && self.spec.since.getDayOfYear() == 1", "true" },
        { "self.spec.since.getMinutes() == 4 && self.spec.since.getSeconds() == 5", "true" },
        { "timestamp('2024-12-31T23:59:59Z').getDayOfYear() == 365", "true" },
        { "timestamp('1969-12-31T23:59:59Z').getDayOfWeek() == 3", "true" },
        { "string(self.spec.day) == '2026-01-02T00:00:00Z'", "true" },
        { "timestamp('x') == self.spec.since", "?1:11: invalid timestamp argument" },
        { "timestamp(dyn('x')) == self.spec.since",
          "?program instantiation failed: type conversion error" },
        { "quantity(self.spec.size).isGreaterThan(quantity('1'))", "true" },
        { "quantity('1Gi').compareTo(quantity('1024Mi')) == 0", "true" },
        { "quantity('1Gi') == quantity('1024Mi') && isQuantity('1x')", "false" },
        { "quantity('1k').isInteger() && quantity('1k').asInteger() == 1000", "true" },
        { "quantity(self.spec.size).asInteger() == 1", "!cannot convert value to integer" },
        { "quantity('500m').add(quantity('1')).asApproximateFloat() == 1.5", "true" },
        { "sign(quantity('1').sub(1)) == 0 && quantity('2').isLessThan(quantity('3'))", "true" },
        { "quantity('') == quantity('1')", "!quantities must match" },
};

static const struct expression syntax[] = {
        { "", "?<EOF>" },
        { "1 +", "?<EOF>" },
        { "(1", "?<EOF>" },
        { "1 == 1)", "?extraneous input ')' expecting <EOF>" },
        { "[1", "?<EOF>" },
        { "self..spec", "?no viable alternative at input '..'" },
        { "self. ", "?<input>:1:7: Syntax error: no viable alternative at input '. '" },
        { "self.in", "?no viable alternative at input '.in'" },
        { ".[1]", "?no viable alternative at input '.['" },
        { "self.true", "?mismatched input 'true' expecting IDENTIFIER" },
        { "self.?1", "?mismatched input '1' expecting {IDENTIFIER, ESC_IDENTIFIER}" },
        { "has(self.nope)", "?ERROR: <input>:1:4: undefined field 'nope'" },
        { "1.all(x, nope)",
          "?comprehension (must be list, map, or dynamic)\n | 1.all(x, nope)\n | ^\nERROR: "
          "<input>:1:10: undeclared reference to 'nope'" },
        { "a b", "?extraneous input 'b' expecting <EOF>" },
        { "a + *b", "?extraneous input '*' expecting {'[', '{', '(', '.', '-', '!'" },
        { "in a", "?extraneous input 'in' expecting {'['" },
        { "/", "?mismatched input '/' expecting {'['" },
        { "] a", "?extraneous input ']' expecting {'['" },
        { "1 = 1", "?token recognition error" },
        { "for == 1", "?reserved identifier: for" },
        { "size(1, )", "?mismatched input ')'" },
        { "{1 2}", "?mismatched input '2'" },
        { "x ? y", "?<EOF>" },
        { "true &&\n self.nope",
          "?ERROR: <input>:2:6: undefined field 'nope'\n |  self.nope\n | .....^" },
};

static const struct expression urls[] = {
        { "isURL('https://user:pass@example.com:80/path?query=val#fragment')", "true" },
        { "isURL('/absolute-path') && isURL('*') && isURL('mailto:a@b')", "true" },
        { "isURL('https://a:b:c/') || isURL('../relative-path') || isURL('')", "false" },
        { "isURL('https://a b/') || isURL('https://[::1/') || isURL('https://x/%zz')", "false" },
        { "isURL('://x') || isURL('1http://x') || isURL('https://x:8o/')", "false" },
        { "isURL('https://x/\\n') || isURL('https://us er@x/')", "false" },
        { "isURL('https://x.example/%41?a=%zz')", "true" },
        { "url('../x') == url('/x')", "!URL parse error during conversion from string: parse "
                                      "\"../x\": invalid URI for request" },
        { "url('/path').getScheme() == '' && url('HTTPS://x/').getScheme() == 'https'", "true" },
        { "url('https://example.com:80/').getHost() == 'example.com:80'", "true" },
        { "url('https://u@[::1]:80/').getHost() == '[::1]:80' && url('/path').getHost() == ''",
          "true" },
        { "url('https://[::1]:80/').getHostname() == '::1'", "true" },
        { "url('https://127.0.0.1:80/').getHostname() == '127.0.0.1'", "true" },
        { "url('https://[::1]/').getPort() == '' && url('https://x:80/').getPort() == '80'",
          "true" },
        { "url('https://example.com/path with spaces/').getEscapedPath() == "
          "'/path%20with%20spaces/'",
          "true" },
        { "url('https://x/a%2Fb').getEscapedPath() == '/a%2Fb'", "true" },
        { "url('https://x/a%2Fb c').getEscapedPath() == '/a/b%20c'", "true" },
        { "url('https://example.com').getEscapedPath() == ''", "true" },
        { "url('https://x/path?k1=a&k2=b&k2=c').getQuery() == {'k1': ['a'], 'k2': ['b', 'c']}",
          "true" },
        { "url('https://x/p?key with spaces=v+w').getQuery() == {'key with spaces': ['v w']}",
          "true" },
        { "url('https://x/path?').getQuery() == {} && url('https://x').getQuery().size() == 0",
          "true" },
        { "url('https://x/?a=%zz&b&c=1;d=2&&e=%41#f=1').getQuery() == {'b': [''], 'e': ['A']}",
          "true" },
        { "url('/x') == url('/x') && url('/x') != url('/y') && type(url('/x')) != string", "true" },
        { "url(1) == url('/x')", "?found no matching overload for 'url' applied to '(int)'" },
};

static const struct expression addresses[] = {
        { "isIP('127.0.0.1') && isIP('::1') && isIP('2001:db8::abcd')", "true" },
        { "isIP('127.0.0.256') || isIP(':::1') || isIP('1.2.3') || isIP('')", "false" },
        { "isIP('01.2.3.4') || isIP('::ffff:1.2.3.4') || isIP('fe80::1%eth0')", "false" },
        { "ip('1.2.3.4.5') == ip('1.2.3.4')", "!IP Address \"1.2.3.4.5\" parse error" },
        { "ip('::ffff:1.2.3.4') == ip('::1')",
          "!IPv4-mapped IPv6 address \"::ffff:1.2.3.4\" is not allowed" },
        { "ip('fe80::1%eth0') == ip('::1')",
          "!IP address \"fe80::1%eth0\" with zone value is not allowed" },
        { "ip.isCanonical('127.0.0.1') && ip.isCanonical('2001:db8::abcd')", "true" },
        { "ip.isCanonical('2001:DB8::ABCD') || ip.isCanonical('2001:db8::0:0:0:abcd')", "false" },
        { "ip.isCanonical('::102:304') && !ip.isCanonical('::1.2.3.4')", "true" },
        { "ip.isCanonical('1:0:0:2::3') && !ip.isCanonical('1::2:0:0:0:3')", "true" },
        { "ip.isCanonical('1::2:0:0:3:4') && ip.isCanonical('1:0:2:3:4:5:6:7')", "true" },
        { "ip.isCanonical('x')", "!IP Address \"x\" parse error" },
        { "ip('127.0.0.1').family() == 4 && ip('::1').family() == 6", "true" },
        { "ip('2001:DB8::1') == ip('2001:db8:0::1') && ip('1.1.1.1') != ip('1.1.1.2')", "true" },
        { "string(ip('2001:DB8:0:0::1')) == '2001:db8::1'", "true" },
        { "ip('0.0.0.0').isUnspecified() && ip('::').isUnspecified()", "true" },
        { "ip('127.0.0.1').isUnspecified() || ip('::1').isUnspecified()", "false" },
        { "ip('127.1.2.3').isLoopback() && ip('::1').isLoopback()", "true" },
        { "ip('192.168.0.1').isLoopback() || ip('2001:db8::abcd').isLoopback()", "false" },
        { "ip('224.0.0.1').isLinkLocalMulticast() && ip('ff02::1').isLinkLocalMulticast()",
          "true" },
        { "ip('224.0.1.1').isLinkLocalMulticast() || ip('fd00::1').isLinkLocalMulticast()",
          "false" },
        { "ip('169.254.169.254').isLinkLocalUnicast() && ip('fe80::1').isLinkLocalUnicast()",
          "true" },
        { "ip('192.168.0.1').isLinkLocalUnicast() || ip('fd80::1').isLinkLocalUnicast()", "false" },
        { "ip('192.168.0.1').isGlobalUnicast() && ip('2001:db8::abcd').isGlobalUnicast()", "true" },
        { "ip('255.255.255.255').isGlobalUnicast() || ip('ff00::1').isGlobalUnicast()", "false" },
        { "isCIDR('192.168.0.0/16') && isCIDR('::1/128') && isCIDR('10.0.0.1/0')", "true" },
        { "isCIDR('192.168.0.0/33') || isCIDR('::1/129') || isCIDR('10.0.0.0')", "false" },
        { "isCIDR('10.0.0.0/') || isCIDR('10.0.0.0/08') || isCIDR('10.0.0.0/+8')", "false" },
        { "isCIDR('::ffff:1.2.3.4/120') || isCIDR('10.0.0.0/8/8')", "false" },
        { "cidr('192.168.0.0/') == cidr('::/0')",
          "!network address parse error during conversion from string" },
        { "cidr('192.168.0.0/24').containsIP(ip('192.168.0.1'))", "true" },
        { "cidr('192.168.0.0/24').containsIP('192.168.1.1')", "false" },
        { "cidr('2001:db8::/32').containsIP('2001:db8::1')", "true" },
        { "cidr('0.0.0.0/0').containsIP('::1')", "false" },
        { "cidr('10.0.0.0/8').containsIP('x')", "!no such overload" },
        { "cidr('10.0.0.0/8').containsCIDR('x')", "!string: netip.ParsePrefix(\"x\"): no '/'" },
        { "cidr('192.168.0.0/16').containsCIDR(cidr('192.168.10.0/24'))", "true" },
        { "cidr('192.168.0.0/24').containsCIDR(cidr('192.168.0.1/32'))", "true" },
        { "cidr('192.168.0.0/24').containsCIDR('192.168.0.0/23')", "false" },
        { "cidr('2001:db8::/32').containsCIDR('2001:db8::/33')", "true" },
        { "cidr('192.168.0.1/24').ip() == ip('192.168.0.1')", "true" },
        { "cidr('192.168.0.1/24').masked() == cidr('192.168.0.0/24')", "true" },
        { "cidr('192.168.0.1/24') == cidr('192.168.0.1/24').masked()", "false" },
        { "string(cidr('2001:DB8::FFFF/33').masked()) == '2001:db8::/33'", "true" },
        { "cidr('192.168.0.0/16').prefixLength() == 16", "true" },
        { "self.spec.tags.all(t, !isIP(t)) && ip('1.2.3.4') in [ip('1.2.3.4')]", "true" },
        { "'1.2.3.4'.family() == 4", "?found no matching overload for 'family'" },
};

static const struct expression versions[] = {
        { "isSemver('1.2.3') && isSemver('1.2.3-beta.1+build.1') && isSemver('0.0.0')", "true" },
        { "isSemver('') || isSemver('v1.0.0') || isSemver(' 1.0.0') || isSemver('1. 0.0')",
          "false" },
        { "isSemver('1.0.0 ') || isSemver('01.01.01') || isSemver('1') || isSemver('1.1')",
          "false" },
        { "isSemver('1.2.3-') || isSemver('1.2.3+') || isSemver('1.2.3-a..b')", "false" },
        { "isSemver('1.2.3-01') || isSemver('1.2.3-a_b') || isSemver('1.2.3.4')", "false" },
        { "isSemver('18446744073709551616.0.0')", "false" },
        { "isSemver('1.2.3+01') && isSemver('1.2.3-0a')", "true" },
        { "isSemver('', true) || isSemver(' 1.0.0', true) || isSemver('1.0.0 ', true)", "false" },
        { "isSemver('v1.0.0', true) && isSemver('01.01.01', true) && isSemver('1', true)", "true" },
        { "isSemver('1.2.-a', true) && semver('1.2.+b', true) == semver('1.2.0')", "true" },
        { "semver('ab', true) == semver('1.0.0')",
          "!Invalid character(s) found in major number \"0ab\"" },
        { "isSemver('1.1-a', true) || isSemver('vv1', true)", "false" },
        { "semver('v01.01', true) == semver('1.1.0') && semver('1', false) != semver('2.0.0')",
          "!No Major.Minor.Patch elements found" },
        { "semver('v01.01', true) == semver('1.1.0')", "true" },
        { "semver('1.0.0+a') == semver('1.0.0+b') && semver('1.0.0') != semver('1.0.1')", "true" },
        { "semver('1.0.0').isLessThan(semver('1.2.3'))", "true" },
        { "semver('1.0.0').isLessThan(semver('1.0.0'))", "false" },
        { "semver('1.10.0').isGreaterThan(semver('1.9.0'))", "true" },
        { "semver('1.2.3').compareTo(semver('1.2.3')) == 0", "true" },
        { "semver('1.0.0').compareTo(semver('1.2.3')) == -1", "true" },
        { "semver('1.0.0-alpha').isLessThan(semver('1.0.0'))", "true" },
        { "semver('1.0.0-alpha').isLessThan(semver('1.0.0-alpha.1'))", "true" },
        { "semver('1.0.0-alpha.1').isLessThan(semver('1.0.0-alpha.beta'))", "true" },
        { "semver('1.0.0-beta.2').isLessThan(semver('1.0.0-beta.11'))", "true" },
        { "semver('1.0.0-rc.1').isGreaterThan(semver('1.0.0-beta.11'))", "true" },
        { "semver('1.2.3').major() == 1 && semver('1.2.3').minor() == 2", "true" },
        { "semver('1.2.3').patch() == 3 && semver('v1.2', true).patch() == 0", "true" },
        { "isSemver([1, 2, 3])", "?found no matching overload for 'isSemver' applied to" },
        { "quantity('1').isLessThan(semver('1.0.0'))",
          "?found no matching overload for 'isLessThan'" },
};

static const struct expression sorting[] = {
        { "[3, 1, 2].sort() == [1, 2, 3] && ['b', 'a'].sort() == ['a', 'b']", "true" },
        { "[5, 4, 3, 2, 1, 0, 9].sort() == [0, 1, 2, 3, 4, 5, 9] && [1].sort() == [1]", "true" },
        { "[2.5, -1.0].sort() == [-1.0, 2.5] && self.spec.empty.sort() == []", "true" },
        { "self.spec.tags.reverse().sort() == self.spec.tags", "true" },
        { "[dyn(1), dyn('a')].sort() == [1]", "!list elements must have the same type" },
        { "[[1], [2]].sort() == [[1]]", "?'sort' applied to 'list(list(int)).()'" },
        { "lists.range(4) == [0, 1, 2, 3] && lists.range(-1) == [] && lists.range(0).size() == 0",
          "true" },
        { "lists.range(10000000).size() > 0", "over" },
        { "strings.quote('a\"b\\\\\\n\xc3\xa9') == r'\"a\\\"b\\\\\\n\xc3\xa9\"'", "true" },
};

static const struct expression formats[] = {
        { "!format.dns1123Label().validate('my-label-name').hasValue()", "true" },
        { "format.dns1123Label().validate('contains a space').value()[0].startsWith("
          "'a lowercase RFC 1123 label must consist of lower case alphanumeric characters')",
          "true" },
        { "format.dns1123Label().validate('a'.replace('a', '" LONG_LABEL "')).value() == "
          "['must be no more than 63 characters']",
          "true" },
        { "format.dns1123Subdomain().validate('example.com').hasValue()", "false" },
        { "format.dns1123Subdomain().validate('example..com').hasValue()", "true" },
        { "format.dns1123Subdomain().validate('example.').hasValue()", "true" },
        { "format.dns1035Label().validate('1a').value().size() == 1", "true" },
        { "format.qualifiedName().validate('apiextensions.k8s.io/v1beta1').hasValue()", "false" },
        { "format.qualifiedName().validate('a b').hasValue()", "true" },
        { "format.dns1123LabelPrefix().validate('my-label-prefix-').hasValue()", "false" },
        { "format.dns1123LabelPrefix().validate('-').hasValue()", "true" },
        { "format.dns1123SubdomainPrefix().validate('mysubdomain.prefix.-').hasValue()", "false" },
        { "format.dns1035LabelPrefix().validate('contains a space-').hasValue()", "true" },
        { "format.labelValue().validate('my-cool-label-Value').hasValue()", "false" },
        { "format.labelValue().validate('my-cool-label-Value!!').hasValue()", "true" },
        { "format.uri().validate('http://example.com').hasValue()", "false" },
        { "format.uri().validate('example').value() == ['parse \"example\": invalid URI for "
          "request']",
          "true" },
        { "format.uuid().validate('123e4567-e89b-12d3-a456-426614174000').hasValue()", "false" },
        { "format.uuid().validate('123E4567e89b12d3a456426614174000').hasValue()", "false" },
        { "format.uuid().validate('123e4567-e89b-12d3-a456-42661417400').hasValue()", "true" },
        { "format.uuid().validate('123e4567-e89b-12d3-a456-426614174000a').hasValue()", "true" },
        { "format.byte().validate('aGVsbG8=').hasValue()", "false" },
        { "format.byte().validate('aGVsbG8').value() == ['invalid base64']", "true" },
        { "format.date().validate('2020-01-01').hasValue()", "false" },
        { "format.date().validate('2020-01-32').value() == ['invalid date']", "true" },
        { "format.datetime().validate('2020-01-01T00:00:00Z').hasValue()", "false" },
        { "format.datetime().validate('2020-01-32T00:00:00Z').value() == ['invalid datetime']",
          "true" },
        { "format.named('unknown').hasValue()", "false" },
        { "format.named('byte').value() == format.byte() && format.byte() != format.uri()",
          "true" },
        { "format.named('uuid').value().validate('x').value() == ['does not match the UUID "
          "format']",
          "true" },
        { "format.other().validate('x').hasValue()",
          "?ERROR: <input>:1:1: undeclared reference to 'format'" },
        { "base64.encode(b'a') == 'YQ=='", "?undeclared reference to 'base64'" },
};

struct scene {
        struct arena arena;
        struct json_doc *schema;
        struct json_tree *self, *old;
        const struct cel_type *type;
};

static struct slice unquoted(struct arena *arena, const char *text) {
        char *copy = arena_string(arena, slice_of(text));

        for (char *c = copy; *c; c++)
                *c = *c == '\'' ? '"' : *c;
        return slice_of(copy);
}

static struct scene scene_new(void) {
        struct scene scene = { 0 };

        arena_init(&scene.arena, 0);
        assert_int_equal(json_parse(unquoted(&scene.arena, schema_text), &scene.schema, NULL), 0);
        assert_int_equal(json_tree_parse(unquoted(&scene.arena, object_text), &scene.self, NULL),
                         0);
        assert_int_equal(json_tree_parse(unquoted(&scene.arena, old_text), &scene.old, NULL), 0);
        scene.type = cel_type_of_schema(&scene.arena, json_doc_root(scene.schema), true);
        assert_non_null(scene.type);
        return scene;
}

static void scene_free(struct scene *scene) {
        json_doc_free(scene->schema);
        json_tree_free(scene->self);
        json_tree_free(scene->old);
        arena_release(&scene->arena);
}

/* What became of an expression, in the notation of the tables. */
static const char *outcome(struct scene *scene, const char *source, int64_t steps) {
        struct cel_options options = { .self = scene->type };
        struct cel_input input = { json_tree_root(scene->self), json_tree_root(scene->old),
                                   &scene->arena, &steps };
        struct cel_program *program = NULL;
        struct err err = { 0 };
        const char *text, *result;

        if (cel_compile(&scene->arena, slice_of(source), &options, &program, &err) < 0)
                return arena_printf(&scene->arena, "?%s", err.text);
        switch (cel_evaluate(program, &input, &text)) {
        case CEL_TRUE:
                result = "true";
                break;
        case CEL_FALSE:
                result = "false";
                break;
        case CEL_OVER_BUDGET:
                result = "over";
                break;
        default:
                result = arena_printf(&scene->arena, "!%s", text);
        }
        cel_program_release(program);
        return result;
}

static bool is_expected(const char *expected, const char *result) {
        bool is_text = *expected == '!' || *expected == '?';

        return is_text ? *result == *expected && strstr(result + 1, expected + 1)
                       : strcmp(expected, result) == 0;
}

static void run_table(const struct expression *rows, size_t count) {
        struct scene scene = scene_new();
        size_t bad = 0;

        for (size_t i = 0; i < count; i++) {
                const char *result = outcome(&scene, rows[i].source, CEL_STEPS_PER_CALL);

                if (is_expected(rows[i].expected, result))
                        continue;
                print_error("%s: %s, not %s\n", rows[i].source, result, rows[i].expected);
                bad++;
        }
        scene_free(&scene);
        assert_int_equal(bad, 0);
}

#define TABLE(name)                                                                                \
        static void test_##name(void **state) {                                                    \
                (void)state;                                                                       \
                run_table(name, ARRAY_LEN(name));                                                  \
        }

TABLE(literals)
TABLE(operators)
TABLE(absorbing)
TABLE(fields)
TABLE(transitions)
TABLE(macros)
TABLE(strings)
TABLE(string_formats)
TABLE(fits)
TABLE(functions)
TABLE(syntax)
TABLE(urls)
TABLE(addresses)
TABLE(versions)
TABLE(sorting)
TABLE(formats)

/* Whatever is written, it ends: by depth when it is read, by steps when it runs. */
static void test_bounds(void **state) {
        static const char loops[] = "[0,1,2,3,4,5,6,7,8,9].all(a, [0,1,2,3,4,5,6,7,8,9].all(b, "
                                    "[0,1,2,3,4,5,6,7,8,9].all(c, [0,1,2,3,4,5,6,7,8,9].all(d, "
                                    "[0,1,2,3,4,5,6,7,8,9].all(e, [0,1,2,3,4,5,6,7,8,9].all(f, "
                                    "a + b + c + d + e + f >= 0))))))";
        struct scene scene = scene_new();
        struct buf deep = { 0 }, wide = { 0 };

        (void)state;
        for (int i = 0; i < 5000; i++)
                buf_char(&deep, '(');
        assert_true(is_expected("?nested too deeply", outcome(&scene, deep.data, 1000)));
        buf_clear(&deep);
        for (int i = 0; i < 5000; i++)
                buf_text(&deep, "1+");
        buf_text(&deep, "1 > 0");
        assert_true(is_expected("?nested too deeply", outcome(&scene, deep.data, 1000)));
        for (int i = 0; i < 5000; i++)
                buf_text(&wide, "true && ");
        buf_text(&wide, "true");
        assert_string_equal(outcome(&scene, wide.data, CEL_STEPS_PER_CALL), "true");
        assert_string_equal(outcome(&scene, wide.data, 100), "over");
        assert_string_equal(outcome(&scene, loops, INT64_MAX), "over");
        /* what is wrong with a step is told once */
        assert_null(strstr(outcome(&scene, "[5].transformMapEntry(i, v, v) == {}", 100), "_==_"));
        buf_release(&deep);
        buf_release(&wide);
        scene_free(&scene);
}

/* What policies that change objects make; NULL = compiles. */
static void test_made_objects(void **state) {
        static const struct {
                enum cel_result_kind wants;
                const char *source, *complaint;
        } rows[] = {
                { CEL_WANTS_OBJECT, "Object{spec: Object.spec{replicas: 1}}", NULL },
                { CEL_WANTS_OBJECT, "Object{?spec: optional.none()}", NULL },
                { CEL_WANTS_OBJECT, "true ? Object{} : Object{}", NULL },
                { CEL_WANTS_OBJECT, "Object.spec{}",
                  "must evaluate to Object but got Object.spec" },
                { CEL_WANTS_OBJECT, "true", "must evaluate to Object but got bool" },
                { CEL_WANTS_OBJECT, "Foo{}", "1:4: undeclared reference to 'Foo'" },
                { CEL_WANTS_BOOL, "Object{} == Object{}", "1:7: undeclared reference to 'Object'" },
                { CEL_WANTS_OBJECT, "Object{a: b, c: d}", "| ..........^\nERROR: <input>:1:17: " },
                { CEL_WANTS_PATCHES, "[JSONPatch{op: 'add', path: '/a', value: Object{}}]", NULL },
                { CEL_WANTS_PATCHES, "[JSONPatch{path: jsonpatch.escapeKey('a/b')}]", NULL },
                { CEL_WANTS_PATCHES, "true ? [JSONPatch{}] : []", NULL },
                { CEL_WANTS_PATCHES, "[]", "must evaluate to list(JSONPatch) but got list(dyn)" },
                { CEL_WANTS_PATCHES, "[JSONPatch{op: 1}]",
                  "expected type of field 'op' is 'string' but provided type is 'int'" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
                const struct cel_admission admission = { .wants = rows[i].wants };
                struct arena arena = { 0 };
                struct cel_program *program = NULL;
                struct err err = { 0 };
                int r = cel_admission_compile(&arena, slice_of(rows[i].source), &admission,
                                              &program, &err);

                if ((r == 0) != !rows[i].complaint ||
                    (r < 0 && !strstr(err.text, rows[i].complaint)))
                        fail_msg("%s: %s", rows[i].source, err.text);
                cel_program_release(program);
                arena_release(&arena);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_literals),    cmocka_unit_test(test_operators),
                cmocka_unit_test(test_absorbing),   cmocka_unit_test(test_fields),
                cmocka_unit_test(test_transitions), cmocka_unit_test(test_macros),
                cmocka_unit_test(test_strings),     cmocka_unit_test(test_string_formats),
                cmocka_unit_test(test_fits),        cmocka_unit_test(test_functions),
                cmocka_unit_test(test_syntax),      cmocka_unit_test(test_urls),
                cmocka_unit_test(test_addresses),   cmocka_unit_test(test_versions),
                cmocka_unit_test(test_sorting),     cmocka_unit_test(test_formats),
                cmocka_unit_test(test_bounds),      cmocka_unit_test(test_made_objects),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}

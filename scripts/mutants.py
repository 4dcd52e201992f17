"""The one-line changes `make mutate` tries: finds them in a C file, each with what it changes.

Left out on purpose, since no test could or should notice them: assertions, log lines, texts, sizes of arrays and
buffers, growth of capacities, and the freeing of memory.
"""

import collections
import re

from check_limits import functions
from source_text import blank, without_directives

TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|->|\+\+|--|<<=|>>=|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\S")
COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
OPERATORS = {"&&": "||", "||": "&&", "+": "-", "-": "+", "*": "+", "/": "*", "%": "+", "&": "|", "|": "&",
             "+=": "-=", "-=": "+=", "|=": "&=", "++": "--", "--": "++"}
SPACED = {"+", "-", "*", "/", "%", "&", "|"}  # binary when a blank stands on both sides, as formatted here
WORDS = {"true": "false", "false": "true"}
CONTROL = {"if", "for", "while", "switch"}
KEYWORDS = CONTROL | {"return", "sizeof", "else", "do", "case", "default", "goto", "break", "continue", "struct",
                      "union", "enum", "const", "static", "CLEANUP"}
ASSIGNING = {"=", "+=", "-=", "|=", "&=", "*=", "/=", "++", "--"}
# Calls whose insides stay, and calls whose loss shows in memory only.
UNTOUCHED = re.compile(r"(?:assert|static_assert|_Static_assert|log_\w+|\w+_log|arena_init|ARENA_ARRAY|ARENA_NEW|xcalloc|"
                       r"xmalloc|xrealloc|rows_reserve|sizeof|CLEANUP)$")
UNDROPPED = re.compile(r"(?:free|\w+_free|\w+_release|\w+_unref|arena_clear|memset)$")
SYMMETRIC = re.compile(r"(?:slice_eq|slice_is|slice_cmp|strcmp|memcmp|MIN|MAX|min|max|[A-Z_0-9]+)$")
GROWTH = re.compile(r"\bcap\b|\w_cap\b|\bcapacity\b")
SIMPLE = re.compile(r"[&*]?[A-Za-z_][\w.\[\]>-]*$")
ARRAY_SIZE_MIN = 8

Mutant = collections.namedtuple("Mutant", "path kind line before after text")
Token = collections.namedtuple("Token", "text start end")


def closing(tokens, opening):
    """Index of the bracket that closes the one at opening; the last token when none does."""
    pairs = {"(": ")", "[": "]", "{": "}"}
    left, right, depth = tokens[opening].text, pairs[tokens[opening].text], 0
    for i in range(opening, len(tokens)):
        depth += (tokens[i].text == left) - (tokens[i].text == right)
        if depth == 0:
            return i
    return len(tokens) - 1


class Finder:
    """Collects (kind, start, end, replacement) of one region of a file."""

    def __init__(self, text, start, end, returns_bool):
        self.text = text
        self.tokens = [Token(m.group(0), start + m.start(), start + m.end())
                       for m in TOKEN.finditer(text[start:end])]
        self.returns_bool = returns_bool
        self.found = []
        self.skipped = self.find_skipped()

    def find_skipped(self):
        """Indexes of tokens inside calls that are left alone, and inside sizes of arrays."""
        skipped = set()
        for i, token in enumerate(self.tokens[:-1]):
            if self.tokens[i + 1].text == "(" and UNTOUCHED.match(token.text):
                skipped.update(range(i, closing(self.tokens, i + 1) + 1))
            elif token.text == "[" and self.tokens[i + 1].text.isdigit() and \
                    int(self.tokens[i + 1].text) >= ARRAY_SIZE_MIN:
                skipped.add(i + 1)
            elif token.text == "case":
                skipped.add(i + 1)
        return skipped

    def add(self, kind, start, end, replacement):
        self.found.append((kind, start, end, replacement))

    def in_for_head(self, index):
        depth = 0
        for i in range(index, -1, -1):
            text = self.tokens[i].text
            depth += (text == "(") - (text == ")")
            if depth > 0 and i > 0 and self.tokens[i - 1].text == "for":
                return True
            if text in "{}":
                return False
        return False

    def find(self):
        for i, token in enumerate(self.tokens):
            if i in self.skipped:
                continue
            self.find_word(i, token)
            self.find_statement(i, token)
            self.find_swap(i, token)
        return self.found

    def find_word(self, i, token):
        text = token.text
        if text in COMPARISONS:
            self.add("comparison", token.start, token.end, COMPARISONS[text])
        elif text in OPERATORS:
            spaced = self.text[token.start - 1] in " \n" and self.text[token.end] in " \n"
            if (text not in SPACED or spaced) and not (text in ("++", "--") and self.in_for_head(i)):
                self.add("operator", token.start, token.end, OPERATORS[text])
        elif text in WORDS:
            self.add("constant", token.start, token.end, WORDS[text])
        elif re.fullmatch(r"\d+[uUlL]*", text):
            number = int(re.match(r"\d+", text).group(0))
            self.add("constant", token.start, token.end, text.replace(str(number), str(number + 1), 1))
        elif text == "if" and self.tokens[i + 1].text == "(":
            inside = self.tokens[i + 2].start, self.tokens[closing(self.tokens, i + 1)].start
            self.add("negation", *inside, f"!({self.text[inside[0]:inside[1]]})")
        elif text == "return" and self.returns_bool:
            end = next((t.start for t in self.tokens[i:] if t.text == ";"), None)
            if end and self.tokens[i + 1].text not in ("true", "false"):
                inside = self.tokens[i + 1].start, end
                self.add("negation", *inside, f"!({self.text[inside[0]:inside[1]]})")

    def begins_statement(self, i):
        before = self.tokens[i - 1].text if i > 0 else "{"
        if before in ("{", "}", ";", "else", ":"):
            return self.text[:self.tokens[i].start].rpartition("\n")[2].strip() == ""
        if before != ")":
            return False
        depth = 0
        for j in range(i - 1, 0, -1):
            depth += (self.tokens[j].text == ")") - (self.tokens[j].text == "(")
            if depth == 0:
                return self.tokens[j - 1].text in CONTROL
        return False

    def find_statement(self, i, token):
        if i + 1 >= len(self.tokens) or not self.begins_statement(i):
            return
        following = self.tokens[i + 1].text
        if token.text in ("continue", "break") or (token.text == "return" and following == ";"):
            self.add("dropped", token.start, self.tokens[i + 1].start, "")
            return
        if token.text in KEYWORDS or not (token.text == "*" or re.match(r"[A-Za-z_]", token.text)):
            return
        if token.text != "*" and following not in ASSIGNING | {"(", ".", "->", "["}:
            return
        end, callee = self.end_of_statement(i)
        if end is not None and not UNDROPPED.match(callee):
            start = token.start
            self.add("dropped", start, end, "\n" * self.text.count("\n", start, end))

    def end_of_statement(self, i):
        """Where its semicolon is, None when the text is no statement that does something; and whom it calls."""
        depth, acts, callee = 0, False, ""
        for j in range(i, len(self.tokens)):
            text = self.tokens[j].text
            depth += (text in ("(", "[", "{")) - (text in (")", "]", "}"))
            if depth < 0:
                return None, ""
            if depth == 1 and text == "(" and j > i and not acts:
                acts, callee = True, self.tokens[j - 1].text
            acts = acts or (depth == 0 and text in ASSIGNING)
            if depth == 0 and text == ";":
                return (self.tokens[j].start if acts else None), callee
        return None, ""

    def find_swap(self, i, token):
        if i + 1 >= len(self.tokens) or self.tokens[i + 1].text != "(" or token.text in KEYWORDS or \
                not re.match(r"[a-z_]", token.text) or SYMMETRIC.match(token.text):
            return
        arguments, begin, depth = [], self.tokens[i + 1].end, 0
        for j in range(i + 1, closing(self.tokens, i + 1) + 1):
            text = self.tokens[j].text
            depth += (text in ("(", "[", "{")) - (text in (")", "]", "}"))
            if (depth == 1 and text == ",") or depth == 0:
                raw = self.text[begin:self.tokens[j].start]
                arguments.append((begin + len(raw) - len(raw.lstrip()), raw.strip()))
                begin = self.tokens[j].end
        for (first, one), (second, other) in zip(arguments, arguments[1:]):
            if one != other and SIMPLE.match(one) and SIMPLE.match(other):
                gap = self.text[first + len(one):second]
                self.add("swapped", first, second + len(other), other + gap + one)


def regions(code):
    """(start, end, whether it is the body of a function that returns a truth): bodies, and initialisers of the file."""
    found = [(body, end, re.search(r"\bbool\s*$", code[code.rfind("\n", 0, start) + 1:start + 1].split("(")[0])
              is not None or re.match(r"(?:static )?(?:inline )?bool\b", code[start:body]) is not None)
             for _, start, _, body, end in functions(code)]
    outside, position = [], 0
    for start, end, _ in found:
        outside.append((position, start))
        position = end
    outside.append((position, len(code)))
    for start, end in outside:
        for match in re.finditer(r"=[^=]", code[start:end]):
            begin = start + match.start()
            stop = code.find(";", begin)
            if stop > 0 and not any(begin < e and s < stop and b is None for s, e, b in found):
                found.append((begin, stop, None))
    return found


def defined_constants(text, code):
    """Plain numbers behind #define."""
    for match in re.finditer(r"^#define \w+ (.*)$", text, re.MULTILINE):
        if re.search(r"_MAX\b|_BYTES\b|_SIZE\b|\"", match.group(0)) or match.group(0).endswith("\\"):
            continue
        for number in re.finditer(r"(?<![\w.])\d+(?![\w.])", match.group(1)):
            start = match.start(1) + number.start()
            yield "constant", start, start + len(number.group(0)), str(int(number.group(0)) + 1)


def changed_lines(before, after):
    """The lines that differ, without indentation, joined."""
    pairs = [(a.strip(), b.strip()) for a, b in zip(before.split("\n"), after.split("\n")) if a != b]
    return " ".join(a for a, _ in pairs), " ".join(b for _, b in pairs if b)


def mutants_of(path, text):
    """All of them, in the order of the file."""
    code = without_directives(blank(text))
    changes = list(defined_constants(text, code))
    for start, end, returns_bool in regions(code):
        changes += Finder(code, start, end, bool(returns_bool)).find()
    found = []
    for kind, start, end, replacement in sorted(set(changes), key=lambda c: c[1:]):
        line = text.count("\n", 0, start) + 1
        if GROWTH.search(text.split("\n")[line - 1]):
            continue
        # What the change keeps comes from the text itself: the code has its literals blanked.
        if replacement.startswith("!("):
            replacement = f"!({text[start:end]})"
        mutated = text[:start] + replacement + text[end:]
        before, after = changed_lines(text, mutated)
        found.append(Mutant(path, kind, line, before, after, mutated))
    return found


def sample(files, count, rng):
    """count mutants of (path, text) pairs, at most one a line, every kind on a line as likely."""
    lines = collections.defaultdict(list)
    for path, text in files:
        for mutant in mutants_of(path, text):
            lines[(path, mutant.line)].append(mutant)
    chosen = []
    for place in rng.sample(sorted(lines), min(count, len(lines))):
        kinds = sorted({mutant.kind for mutant in lines[place]})
        kind = rng.choice(kinds)
        chosen.append(rng.choice([mutant for mutant in lines[place] if mutant.kind == kind]))
    return chosen

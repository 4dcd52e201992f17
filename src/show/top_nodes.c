/* The table of nodes: as many columns and bars as have a place. */
#include "show/top_line.h"

#include "base/arena.h"
#include "base/util.h"
#include "show/amount.h"
#include "show/cells.h"

#define BAR_MAX 20

struct slice resource_short_name(struct slice name) {
        for (size_t i = name.len; i > 0; i--)
                if (name.ptr[i - 1] == '/')
                        return slice_make(name.ptr + i, name.len - i);
        return name;
}

/* How the table of nodes is divided: width of the bar of each resource, 0 = a number alone, and
 * whether it is shown. */
struct node_columns {
        size_t name, bar[TOP_RESOURCES_MAX];
        bool is_shown[TOP_RESOURCES_MAX];
};

static size_t name_width(const struct screen *screen) {
        const struct top_data *data = screen->data;
        size_t longest = NAME_MIN, most = screen->size->columns * 2 / 5;

        for (size_t i = 0; i < data->node_count; i++) {
                size_t own = cells_width(data->nodes[i].name);

                longest = own > longest ? own : longest;
        }
        most = most > NAME_MIN ? most : NAME_MIN;
        return longest < most ? longest : most;
}

/* The lead, and of the others as many as have a place. */
static void choose_columns(struct node_columns *columns, size_t count, size_t shown, size_t lead) {
        for (size_t i = 0; i < count; i++)
                columns->is_shown[i] = i < shown;
        if (shown && lead >= shown) {
                columns->is_shown[shown - 1] = false;
                columns->is_shown[lead] = true;
        }
}

/* The lead gets a bar of the room that is left, the others as well where it suffices for all. */
static void give_bars(struct node_columns *columns, size_t shown, size_t lead, size_t rest) {
        size_t each = rest / shown > 0 ? rest / shown - 1 : 0;

        for (size_t i = 0; i < TOP_RESOURCES_MAX; i++)
                if (columns->is_shown[i] && each >= BAR_MIN)
                        columns->bar[i] = each < BAR_MAX ? each : BAR_MAX;
        if (each < BAR_MIN && rest > BAR_MIN)
                columns->bar[lead] = rest - 1 < BAR_MAX ? rest - 1 : BAR_MAX;
}

static void plan_columns(const struct screen *screen, struct node_columns *columns) {
        size_t count = screen->data->resource_count, sort = screen->state->sort;
        size_t lead = sort && sort <= count ? sort - 1 : 0;

        *columns = (struct node_columns){ .name = name_width(screen) };
        size_t taken = 2 + columns->name, number = GAP + SHARE_WIDTH;
        size_t rest = screen->size->columns > taken ? screen->size->columns - taken : 0;
        size_t places = rest > BAR_MIN ? (rest - BAR_MIN - 1) / number : 0;
        size_t shown = places >= count ? count : places ? places : rest >= number ? 1 : 0;

        choose_columns(columns, count, shown, lead);
        if (shown)
                give_bars(columns, shown, lead, rest - shown * number);
}

static void put_node_heads(struct screen *screen, const struct node_columns *columns) {
        const struct top_state *state = screen->state;
        const struct top_data *data = screen->data;
        const char *mark = screen->size->is_plain ? state->is_reversed ? "^" : "v"
                           : state->is_reversed   ? "\xe2\x96\xb2"
                                                  : "\xe2\x96\xbc";
        CLEANUP(buf_release) struct buf head = { 0 };

        buf_text(&head, "NODE");
        if (state->sort == 0)
                buf_text(&head, mark);
        if (data->node_count < data->all_nodes) {
                buf_char(&head, ' ');
                amount_count(&head, (int64_t)data->node_count);
                buf_text(&head, " of ");
                amount_count(&head, (int64_t)data->all_nodes);
        }
        screen_blanks(screen, 2);
        screen_field(screen, LOOK_STRONG, buf_view(&head), columns->name);
        for (size_t i = 0; i < data->resource_count; i++) {
                size_t width = columns->bar[i] + (columns->bar[i] ? 1 : 0) + SHARE_WIDTH;

                if (!columns->is_shown[i])
                        continue;
                buf_clear(&head);
                buf_slice(&head, resource_short_name(data->resources[i].name));
                if (state->sort == i + 1)
                        buf_text(&head, mark);
                screen_blanks(screen, GAP);
                if (columns->bar[i])
                        screen_field(screen, LOOK_STRONG, buf_view(&head), width);
                else
                        screen_right(screen, LOOK_STRONG, buf_view(&head), width);
        }
        screen_end_row(screen);
}

static void put_node(struct screen *screen, const struct node_columns *columns,
                     const struct top_node *node) {
        bool is_well = node->is_ready && !node->is_cordoned;

        screen_field(screen, LOOK_BAD,
                     slice_of(!node->is_ready     ? "!"
                              : node->is_cordoned ? "-"
                              : node->taints      ? "*"
                                                  : ""),
                     2);
        screen_field(screen, is_well ? LOOK_PLAIN : LOOK_QUIET, node->name, columns->name);
        for (size_t i = 0; i < screen->data->resource_count; i++) {
                if (!columns->is_shown[i])
                        continue;
                screen_blanks(screen, GAP);
                if (columns->bar[i] && node->allocatable[i] <= 0 && node->requested[i] <= 0)
                        screen_blanks(screen, columns->bar[i] + 1);
                else if (columns->bar[i]) {
                        screen_bar(screen, share_of_all(node->requested[i], node->allocatable[i]),
                                   columns->bar[i]);
                        screen_blanks(screen, 1);
                }
                screen_share(screen, node->requested[i], node->allocatable[i]);
        }
        screen_end_row(screen);
}

void screen_nodes(struct screen *screen, const struct section *section) {
        struct node_columns columns;

        plan_columns(screen, &columns);
        put_node_heads(screen, &columns);
        for (size_t i = 0; i + 1 < section->rows && section->first + i < section->count; i++)
                put_node(screen, &columns, &screen->data->nodes[section->first + i]);
}

#include <limits.h>
#include <stddef.h>
#include <string.h>

/* A library of tables for a small interpreter: values on a stack, elements by number or through callbacks. */

typedef struct State State;
typedef struct Table Table;
typedef long long Integer;
typedef int (*Callback)(State *state);

enum { NIL, NUMBER, STRING, TABLE, FUNCTION };
enum { READS = 1, WRITES = 2, HAS_LENGTH = 4, READS_AND_WRITES = READS | WRITES };

typedef struct {
    int type;
    union {
        Integer number;
        const char *string;
        Table *table;
        Callback function;
    } as;
} Value;

struct Table {
    Value *elements;
    size_t used, size;
    Callback read, write, length;
};

struct State {
    Value *stack;
    int top, room;
    const char *error;
};

typedef struct {
    char text[256];
    size_t used;
} Buffer;

extern void report_error(State *state, int argument, const char *message);
extern Value *more_elements(Value *elements, size_t size);

#define AT(state, index) ((state)->stack[(index) - 1])
#define IS_TABLE(value) ((value)->type == TABLE && (value)->as.table != 0)
#define CHECK(state, condition, argument, message)                                                           \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            report_error(state, argument, message);                                                          \
            return 0;                                                                                        \
        }                                                                                                    \
    } while (0)
#define LENGTH_OR_FAIL(state, argument, what, into)                                                          \
    do {                                                                                                     \
        CHECK(state, check_table(state, argument, (what) | HAS_LENGTH), argument, "table expected");         \
        (into) = length_of(state, argument);                                                                 \
        CHECK(state, (into) >= 0, argument, "object length is not an integer");                              \
    } while (0)

/* Whether a table has a callback or elements of its own. */
static int has_field(const Table *table, int what) {
    int missing = 0;
    if (what & READS)
        missing |= table->read == 0 && table->elements == 0;
    if (what & WRITES)
        missing |= table->write == 0 && table->elements == 0;
    if (what & HAS_LENGTH)
        missing |= table->length == 0 && table->elements == 0;
    return !missing;
}

static int check_table(State *state, int argument, int what) {
    const Value *value;
    if (argument < 1 || argument > state->top)
        return 0;
    value = &AT(state, argument);
    return IS_TABLE(value) && has_field(value->as.table, what);
}

static void push_value(State *state, Value value) {
    if (state->top < state->room)
        state->stack[state->top++] = value;
    else
        state->error = "stack overflow";
}

static void push_number(State *state, Integer number) {
    Value value;
    value.type = NUMBER;
    value.as.number = number;
    push_value(state, value);
}

static Value pop_value(State *state) {
    Value nil;
    nil.type = NIL;
    nil.as.number = 0;
    if (state->top <= 0)
        return nil;
    return state->stack[--state->top];
}

static Integer length_of(State *state, int argument) {
    const Table *table = AT(state, argument).as.table;
    if (table->length != 0) {
        Value result;
        push_value(state, AT(state, argument));
        if (table->length(state) != 1)
            return -1;
        result = pop_value(state);
        return result.type == NUMBER ? result.as.number : -1;
    }
    return (Integer)table->used;
}

static void get_element(State *state, int argument, Integer index) {
    const Table *table = AT(state, argument).as.table;
    if (table->read != 0) {
        push_value(state, AT(state, argument));
        push_number(state, index);
        if (table->read(state) == 0)
            push_number(state, 0);
        return;
    }
    if (index >= 1 && (size_t)index <= table->used) {
        push_value(state, table->elements[index - 1]);
    } else {
        Value nil;
        nil.type = NIL;
        nil.as.number = 0;
        push_value(state, nil);
    }
}

static void set_element(State *state, int argument, Integer index) {
    Table *table = AT(state, argument).as.table;
    if (table->write != 0) {
        push_number(state, index);
        table->write(state);
        return;
    }
    Value value = pop_value(state);
    if (index < 1)
        return;
    if ((size_t)index > table->size) {
        size_t size = table->size < 4 ? 4 : table->size * 2;
        while (size < (size_t)index)
            size *= 2;
        table->elements = more_elements(table->elements, size);
        table->size = size;
    }
    while (table->used < (size_t)index) {
        table->elements[table->used].type = NIL;
        table->elements[table->used].as.number = 0;
        table->used++;
    }
    table->elements[index - 1] = value;
    if (value.type == NIL)
        while (table->used > 0 && table->elements[table->used - 1].type == NIL)
            table->used--;
}

static Integer integer_argument(State *state, int argument, Integer otherwise) {
    if (argument > state->top || AT(state, argument).type != NUMBER)
        return otherwise;
    return AT(state, argument).as.number;
}

int table_insert(State *state) {
    Integer position, index, end;
    LENGTH_OR_FAIL(state, 1, READS_AND_WRITES, end);
    end = (Integer)((unsigned long long)end + 1);
    switch (state->top) {
    case 2:
        position = end;
        break;
    case 3:
        position = integer_argument(state, 2, 0);
        CHECK(state, (unsigned long long)position - 1u < (unsigned long long)end, 2, "position out of bounds");
        for (index = end; index > position; index--) {
            get_element(state, 1, index - 1);
            set_element(state, 1, index);
        }
        break;
    default:
        report_error(state, 0, "wrong number of arguments");
        return 0;
    }
    set_element(state, 1, position);
    return 0;
}

int table_remove(State *state) {
    Integer size, position;
    LENGTH_OR_FAIL(state, 1, READS_AND_WRITES, size);
    position = integer_argument(state, 2, size);
    if (state->top > 1)
        CHECK(state, (unsigned long long)size + 1u - (unsigned long long)position <= (unsigned long long)size, 2,
              "position out of bounds");
    get_element(state, 1, position);
    for (; position < size; position++) {
        get_element(state, 1, position + 1);
        set_element(state, 1, position);
    }
    Value nil;
    nil.type = NIL;
    nil.as.number = 0;
    push_value(state, nil);
    set_element(state, 1, position);
    return 1;
}

int table_move(State *state) {
    Integer first = integer_argument(state, 2, 1);
    Integer last = integer_argument(state, 3, 0);
    Integer to = integer_argument(state, 4, 1);
    int target = state->top >= 5 && AT(state, 5).type != NIL ? 5 : 1;
    CHECK(state, check_table(state, 1, READS), 1, "table expected");
    CHECK(state, check_table(state, target, WRITES), target, "table expected");
    if (last >= first) {
        Integer count, index;
        CHECK(state, first > 0 || last < LLONG_MAX + first, 3, "too many elements to move");
        count = last - first + 1;
        CHECK(state, to <= LLONG_MAX - count + 1, 4, "destination wrap around");
        if (to > last || to <= first || (target != 1 && AT(state, 1).as.table != AT(state, target).as.table)) {
            for (index = 0; index < count; index++) {
                get_element(state, 1, first + index);
                set_element(state, target, to + index);
            }
        } else {
            for (index = count - 1; index >= 0; index--) {
                get_element(state, 1, first + index);
                set_element(state, target, to + index);
            }
        }
    }
    push_value(state, AT(state, target));
    return 1;
}

static void add_text(Buffer *buffer, const char *text, size_t length) {
    size_t index;
    for (index = 0; index < length && buffer->used + 1 < sizeof buffer->text; index++)
        buffer->text[buffer->used++] = text[index];
    buffer->text[buffer->used] = 0;
}

static int add_number(Buffer *buffer, Integer number) {
    char digits[24];
    int used = 0, negative = number < 0;
    unsigned long long rest = negative ? 0ull - (unsigned long long)number : (unsigned long long)number;
    do {
        digits[used++] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest != 0);
    if (negative)
        digits[used++] = '-';
    while (used > 0)
        add_text(buffer, &digits[--used], 1);
    return 1;
}

static int add_field(State *state, Buffer *buffer, Integer index) {
    Value value;
    get_element(state, 1, index);
    value = pop_value(state);
    if (value.type == NUMBER)
        return add_number(buffer, value.as.number);
    CHECK(state, value.type == STRING, 1, "invalid value in table for 'concat'");
    add_text(buffer, value.as.string, strlen(value.as.string));
    return 1;
}

static Buffer shared_buffer;

int table_concat(State *state) {
    Integer last, first;
    const char *separator = "";
    LENGTH_OR_FAIL(state, 1, READS, last);
    if (state->top >= 2 && AT(state, 2).type == STRING)
        separator = AT(state, 2).as.string;
    first = integer_argument(state, 3, 1);
    last = integer_argument(state, 4, last);
    shared_buffer.used = 0;
    for (; first < last; first++) {
        if (!add_field(state, &shared_buffer, first))
            return 0;
        add_text(&shared_buffer, separator, strlen(separator));
    }
    if (first == last && !add_field(state, &shared_buffer, first))
        return 0;
    Value result;
    result.type = STRING;
    result.as.string = shared_buffer.text;
    push_value(state, result);
    return 1;
}

int table_pack(State *state) {
    int count = state->top, index;
    CHECK(state, check_table(state, 1, WRITES), 1, "table expected");
    for (index = count; index >= 2; index--)
        set_element(state, 1, index - 1);
    push_number(state, count - 1);
    return 1;
}

int table_unpack(State *state) {
    Integer first = integer_argument(state, 2, 1), last;
    unsigned long long count;
    LENGTH_OR_FAIL(state, 1, READS, last);
    last = integer_argument(state, 3, last);
    if (first > last)
        return 0;
    count = (unsigned long long)last - (unsigned long long)first;
    CHECK(state, count < INT_MAX && state->top + (int)(count + 1) <= state->room, 3, "too many results to unpack");
    for (; first < last; first++)
        get_element(state, 1, first);
    get_element(state, 1, last);
    return (int)(count + 1);
}

static int compare_values(State *state, const Value *a, const Value *b) {
    if (state->top >= 2 && AT(state, 2).type == FUNCTION) {
        Value result;
        push_value(state, *a);
        push_value(state, *b);
        if (AT(state, 2).as.function(state) != 1)
            return 0;
        result = pop_value(state);
        return result.type == NUMBER && result.as.number != 0;
    }
    if (a->type == NUMBER && b->type == NUMBER)
        return a->as.number < b->as.number;
    if (a->type == STRING && b->type == STRING)
        return strcmp(a->as.string, b->as.string) < 0;
    report_error(state, 1, "attempt to compare two values");
    return 0;
}

static Value element(State *state, Integer index) {
    get_element(state, 1, index);
    return pop_value(state);
}

static void put(State *state, Integer index, Value value) {
    push_value(state, value);
    set_element(state, 1, index);
}

static Integer partition(State *state, Integer low, Integer up, Value pivot) {
    Integer i = low, j = up - 1;
    for (;;) {
        Value a, b;
        while (a = element(state, ++i), compare_values(state, &a, &pivot)) {
            if (i == up - 1) {
                report_error(state, 2, "invalid order function for sorting");
                return -1;
            }
        }
        while (b = element(state, --j), compare_values(state, &pivot, &b)) {
            if (j < i) {
                report_error(state, 2, "invalid order function for sorting");
                return -1;
            }
        }
        if (j < i) {
            put(state, up - 1, a);
            put(state, i, pivot);
            return i;
        }
        put(state, i, b);
        put(state, j, a);
    }
}

static void sort_range(State *state, Integer low, Integer up) {
    while (low < up) {
        Integer middle;
        Value a = element(state, low), b = element(state, up);
        if (compare_values(state, &b, &a)) {
            put(state, low, b);
            put(state, up, a);
        }
        if (up - low == 1)
            break;
        middle = low + (up - low) / 2;
        a = element(state, middle);
        b = element(state, low);
        if (compare_values(state, &a, &b)) {
            put(state, middle, b);
            put(state, low, a);
        } else {
            b = element(state, up);
            if (compare_values(state, &b, &a)) {
                put(state, middle, b);
                put(state, up, a);
            }
        }
        if (up - low == 2)
            break;
        a = element(state, middle);
        b = element(state, up - 1);
        put(state, middle, b);
        put(state, up - 1, a);
        middle = partition(state, low, up, a);
        if (middle < 0)
            return;
        if (middle - low < up - middle) {
            sort_range(state, low, middle - 1);
            low = middle + 1;
        } else {
            sort_range(state, middle + 1, up);
            up = middle - 1;
        }
    }
}

int table_sort(State *state) {
    Integer count;
    LENGTH_OR_FAIL(state, 1, READS_AND_WRITES, count);
    if (count > 1) {
        CHECK(state, count < INT_MAX, 1, "array too big");
        if (state->top >= 2 && AT(state, 2).type != NIL)
            CHECK(state, AT(state, 2).type == FUNCTION, 2, "function expected");
        sort_range(state, 1, count);
    }
    return 0;
}

static const struct {
    const char *name;
    Callback function;
} library[] = {
    {"insert", table_insert}, {"remove", table_remove}, {"move", table_move}, {"concat", table_concat},
    {"pack", table_pack},     {"unpack", table_unpack}, {"sort", table_sort},
};

int table_call(State *state, const char *name) {
    size_t index;
    for (index = 0; index < sizeof library / sizeof library[0]; index++)
        if (strcmp(library[index].name, name) == 0)
            return library[index].function(state);
    report_error(state, 0, "no such function");
    return 0;
}

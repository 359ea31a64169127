/* Performs a trace (see src/trace/text.rs) with PPL and prints the answers to its questions, one a
 * line; or, with a number as second argument, performs it so many times and prints the nanoseconds a
 * run. The first argument is "closed" or "strict". Only tests and benchmarks compile this program. */
#define _GNU_SOURCE
#include <ppl_c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    char kind[16];
    size_t at, other, count;
    ppl_dimension_type *dims;
    ppl_Linear_Expression_t form;
    ppl_Constraint_t constraint;
    ppl_Constraint_System_t system;
} Step;

static ppl_Polyhedron_t *values;
static size_t slots;
static int strict;
static ppl_Coefficient_t one, number, denominator;

static void check(int code, const char *what) {
    if (code < 0) {
        fprintf(stderr, "ppl: %s: %d\n", what, code);
        exit(1);
    }
}
#define DO(call) check((call), #call)

static char *word(void) {
    char *text;
    if (scanf("%ms", &text) != 1) return NULL;
    return text;
}

static size_t read_number(void) {
    char *text = word();
    size_t value = strtoul(text, NULL, 10);
    free(text);
    return value;
}

static void read_coefficient(ppl_Coefficient_t to) {
    mpz_t value;
    char *text = word();
    mpz_init_set_str(value, text, 10);
    DO(ppl_assign_Coefficient_from_mpz_t(to, value));
    mpz_clear(value);
    free(text);
}

static ppl_Linear_Expression_t read_form(void) {
    ppl_Linear_Expression_t form;
    ppl_Coefficient_t value;
    DO(ppl_new_Coefficient(&value));
    DO(ppl_new_Linear_Expression(&form));
    read_coefficient(value);
    DO(ppl_Linear_Expression_add_to_inhomogeneous(form, value));
    for (size_t count = read_number(); count > 0; count--) {
        size_t var = read_number();
        read_coefficient(value);
        DO(ppl_Linear_Expression_add_to_coefficient(form, var, value));
    }
    ppl_delete_Coefficient(value);
    return form;
}

static ppl_Constraint_t read_constraint(void) {
    ppl_Constraint_t result;
    char *relation = word();
    ppl_Linear_Expression_t form = read_form();
    enum ppl_enum_Constraint_Type type = PPL_CONSTRAINT_TYPE_EQUAL;
    if (!strcmp(relation, ">=")) type = PPL_CONSTRAINT_TYPE_GREATER_OR_EQUAL;
    if (!strcmp(relation, ">")) type = PPL_CONSTRAINT_TYPE_GREATER_THAN;
    DO(ppl_new_Constraint(&result, form, type));
    ppl_delete_Linear_Expression(form);
    free(relation);
    return result;
}

static ppl_Constraint_System_t read_system(void) {
    ppl_Constraint_System_t result;
    DO(ppl_new_Constraint_System(&result));
    for (size_t count = read_number(); count > 0; count--) {
        ppl_Constraint_t constraint = read_constraint();
        DO(ppl_Constraint_System_insert_Constraint(result, constraint));
        ppl_delete_Constraint(constraint);
    }
    return result;
}

static void read_dims(Step *step) {
    step->count = read_number();
    step->dims = malloc((step->count + 1) * sizeof *step->dims);
    for (size_t i = 0; i < step->count; i++) step->dims[i] = read_number();
}

static int is(const Step *step, const char *kind) { return !strcmp(step->kind, kind); }

static int read_step(Step *step) {
    memset(step, 0, sizeof *step);
    char *kind = word();
    if (!kind) return 0;
    strncpy(step->kind, kind, sizeof step->kind - 1);
    free(kind);
    step->at = read_number();
    if (step->at >= slots) slots = step->at + 1;
    if (is(step, "top") || is(step, "bottom") || is(step, "append")) step->count = read_number();
    else if (is(step, "copy") || is(step, "meet") || is(step, "join") || is(step, "includes?") ||
             is(step, "equal?")) step->other = read_number();
    else if (is(step, "constrain")) step->system = read_system();
    else if (is(step, "assign") || is(step, "substitute")) {
        step->count = read_number();
        step->form = read_form();
    } else if (is(step, "forget") || is(step, "remove") || is(step, "rename")) read_dims(step);
    else if (is(step, "widen")) {
        step->other = read_number();
        step->system = read_system();
    } else if (is(step, "bounds?")) step->form = read_form();
    else if (is(step, "entails?")) step->constraint = read_constraint();
    else if (!is(step, "drop") && !is(step, "bottom?") && !is(step, "top?") &&
             !is(step, "constraints?")) {
        fprintf(stderr, "unknown step %s\n", step->kind);
        exit(1);
    }
    return 1;
}

static void drop(size_t at) {
    if (values[at]) ppl_delete_Polyhedron(values[at]);
    values[at] = NULL;
}

static void make(size_t at, size_t dimension, int empty) {
    drop(at);
    if (strict) DO(ppl_new_NNC_Polyhedron_from_space_dimension(&values[at], dimension, empty));
    else DO(ppl_new_C_Polyhedron_from_space_dimension(&values[at], dimension, empty));
}

static ppl_Polyhedron_t copy(ppl_Polyhedron_t from) {
    ppl_Polyhedron_t to;
    if (strict) DO(ppl_new_NNC_Polyhedron_from_NNC_Polyhedron(&to, from));
    else DO(ppl_new_C_Polyhedron_from_C_Polyhedron(&to, from));
    return to;
}

static void print_coefficient(ppl_const_Coefficient_t value) {
    mpz_t z;
    mpz_init(z);
    DO(ppl_Coefficient_to_mpz_t(value, z));
    gmp_printf("%Zd", z);
    mpz_clear(z);
}

static void print_constraint(ppl_const_Constraint_t constraint) {
    ppl_dimension_type dimension;
    enum ppl_enum_Constraint_Type type = ppl_Constraint_type(constraint);
    printf(type == PPL_CONSTRAINT_TYPE_EQUAL            ? " = "
           : type == PPL_CONSTRAINT_TYPE_GREATER_THAN   ? " > "
                                                        : " >= ");
    DO(ppl_Constraint_space_dimension(constraint, &dimension));
    DO(ppl_Constraint_inhomogeneous_term(constraint, number));
    print_coefficient(number);
    printf(" %zu", (size_t)dimension);
    for (size_t var = 0; var < dimension; var++) {
        DO(ppl_Constraint_coefficient(constraint, var, number));
        printf(" %zu ", var);
        print_coefficient(number);
    }
}

static void print_constraints(ppl_Polyhedron_t value) {
    ppl_const_Constraint_System_t system;
    ppl_Constraint_System_const_iterator_t at, end;
    ppl_const_Constraint_t constraint;
    size_t count = 0;
    DO(ppl_Polyhedron_get_minimized_constraints(value, &system));
    DO(ppl_new_Constraint_System_const_iterator(&at));
    DO(ppl_new_Constraint_System_const_iterator(&end));
    for (int print = 0; print < 2; print++) {
        if (print) printf("%zu", count);
        DO(ppl_Constraint_System_begin(system, at));
        DO(ppl_Constraint_System_end(system, end));
        while (!ppl_Constraint_System_const_iterator_equal_test(at, end)) {
            DO(ppl_Constraint_System_const_iterator_dereference(at, &constraint));
            if (print) print_constraint(constraint);
            else count++;
            DO(ppl_Constraint_System_const_iterator_increment(at));
        }
    }
    printf("\n");
    ppl_delete_Constraint_System_const_iterator(at);
    ppl_delete_Constraint_System_const_iterator(end);
}

static void bound(ppl_Polyhedron_t value, const Step *step, int upper, int print) {
    int attained;
    int found = upper
        ? ppl_Polyhedron_maximize(value, step->form, number, denominator, &attained)
        : ppl_Polyhedron_minimize(value, step->form, number, denominator, &attained);
    if (!print) return;
    if (found <= 0) printf("none");
    else {
        print_coefficient(number);
        printf("/");
        print_coefficient(denominator);
        printf("%s", attained ? "" : "!");
    }
    printf(upper ? "\n" : " ");
}

static void perform(const Step *step, int print) {
    size_t at = step->at;
    int answer = -1;
    if (is(step, "top")) make(at, step->count, 0);
    else if (is(step, "bottom")) make(at, step->count, 1);
    else if (is(step, "copy")) {
        ppl_Polyhedron_t same = copy(values[step->other]);
        drop(at);
        values[at] = same;
    } else if (is(step, "drop")) drop(at);
    else if (is(step, "meet")) DO(ppl_Polyhedron_intersection_assign(values[at], values[step->other]));
    else if (is(step, "constrain")) DO(ppl_Polyhedron_add_constraints(values[at], step->system));
    else if (is(step, "join")) DO(ppl_Polyhedron_poly_hull_assign(values[at], values[step->other]));
    else if (is(step, "assign")) DO(ppl_Polyhedron_affine_image(values[at], step->count, step->form, one));
    else if (is(step, "substitute"))
        DO(ppl_Polyhedron_affine_preimage(values[at], step->count, step->form, one));
    else if (is(step, "forget"))
        DO(ppl_Polyhedron_unconstrain_space_dimensions(values[at], step->dims, step->count));
    else if (is(step, "append"))
        DO(ppl_Polyhedron_add_space_dimensions_and_embed(values[at], step->count));
    else if (is(step, "remove"))
        DO(ppl_Polyhedron_remove_space_dimensions(values[at], step->dims, step->count));
    else if (is(step, "rename"))
        DO(ppl_Polyhedron_map_space_dimensions(values[at], step->dims, step->count));
    else if (is(step, "widen")) {
        ppl_Polyhedron_t larger = copy(values[step->other]);
        DO(ppl_Polyhedron_poly_hull_assign(larger, values[at]));
        DO(ppl_Polyhedron_limited_H79_extrapolation_assign(larger, values[at], step->system));
        drop(at);
        values[at] = larger;
    } else if (is(step, "bottom?")) answer = ppl_Polyhedron_is_empty(values[at]);
    else if (is(step, "top?")) answer = ppl_Polyhedron_is_universe(values[at]);
    else if (is(step, "includes?"))
        answer = ppl_Polyhedron_contains_Polyhedron(values[at], values[step->other]);
    else if (is(step, "equal?"))
        answer = ppl_Polyhedron_equals_Polyhedron(values[at], values[step->other]);
    else if (is(step, "entails?")) {
        int relation = ppl_Polyhedron_relation_with_Constraint(values[at], step->constraint);
        answer = (relation & PPL_POLY_CON_RELATION_IS_INCLUDED) != 0;
    } else if (is(step, "bounds?")) {
        bound(values[at], step, 0, print);
        bound(values[at], step, 1, print);
    } else if (is(step, "constraints?")) {
        if (print) print_constraints(values[at]);
        else {
            ppl_const_Constraint_System_t system;
            DO(ppl_Polyhedron_get_minimized_constraints(values[at], &system));
        }
    }
    if (answer >= 0 && print) printf("%d\n", answer);
}

int main(int argc, char **argv) {
    struct timespec begin, end;
    size_t count = 0, room = 1024;
    Step *steps = malloc(room * sizeof *steps);
    strict = argc > 1 && !strcmp(argv[1], "strict");
    long runs = argc > 2 ? atol(argv[2]) : 0;
    DO(ppl_initialize());
    DO(ppl_new_Coefficient(&one));
    DO(ppl_new_Coefficient(&number));
    DO(ppl_new_Coefficient(&denominator));
    mpz_t z;
    mpz_init_set_si(z, 1);
    DO(ppl_assign_Coefficient_from_mpz_t(one, z));
    while (read_step(&steps[count]))
        if (++count == room) steps = realloc(steps, (room *= 2) * sizeof *steps);
    values = calloc(slots + 1, sizeof *values);
    if (!runs)
        for (size_t i = 0; i < count; i++) perform(&steps[i], 1);
    else {
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
        for (long run = 0; run < runs; run++) {
            for (size_t i = 0; i < count; i++) perform(&steps[i], 0);
            for (size_t i = 0; i < slots; i++) drop(i);
        }
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
        double ns = (end.tv_sec - begin.tv_sec) * 1e9 + (end.tv_nsec - begin.tv_nsec);
        printf("%.0f\n", ns / runs);
    }
    return 0;
}

static int one(void) { return 1; }
static int two(void) { return 2; }

static int (*choose(void))(void) { return one; }
int chosen(void) __attribute__((ifunc("choose")));

static int (*const table[2])(void) = { chosen, two };

int second(void) { return table[1](); }

int counted(void) { return one() + two(); }

/* Calls functions of the C library with random arguments in guarded memory, and reports what they do that the knowledge
 * file (src/libc/libc.toml) does not say. The table of functions, and one caller for each type, are generated before this.
 *
 * Every pointer parameter has an area of its own, between two pages that cannot be accessed. What is only read cannot be
 * written, what is neither read nor written cannot be accessed, and the extent that is read or written ends where the area
 * does. What is said not to be read has other contents in a second call, which must do the same. */
enum { AREA = 8192, PAGE = 4096, AREAS = 10, STRING_ARGUMENT = 8, BEHIND = 9, FILL = 0x5a };
static unsigned char *areas[2][AREAS];
static const struct function *running;
static unsigned long seed;
static int violations, hidden_state;
static sigjmp_buf escape;
static volatile sig_atomic_t in_call, made_call;
static locale_t other_locale;
static char scratch_text[] = "12 abc 3.5\nxyz 7\n";

static void report(const char *what, const char *parameter) {
  char line[300];
  int n = snprintf(line, sizeof line, "VIOLATION %s: %s%s%s\n", running->name, what, parameter ? " " : "",
                   parameter ? parameter : "");
  violations++;
  if (write(REPORT, line, n) != n) _exit(98);
}

static unsigned long random_bits(unsigned long *state) {
  unsigned long x = *state += 0x9e3779b97f4a7c15ul;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ul;
  x = (x ^ x >> 27) * 0x94d049bb133111ebul;
  return x ^ x >> 31;
}
static unsigned long below(unsigned long *state, unsigned long limit) { return random_bits(state) % limit; }

static void on_signal(int signal, siginfo_t *info, void *context) {
  (void)context;
  if (signal == SIGSYS) {
    /* The system call is skipped. */
    made_call = info->si_syscall;
    return;
  }
  if (!in_call) _exit(97);
  siglongjmp(escape, signal);
}

static int is(const char *a, const char *b) { return strcmp(a, b) == 0; }

static int callback_compare(const void *a, const void *b) {
  for (int set = 0; set < 2; set++)
    for (int i = 0; i < AREAS; i++)
      if ((unsigned char *)b >= areas[set][i] && (unsigned char *)b < areas[set][i] + AREA) return memcmp(a, b, 1);
  /* Elements of no bytes are at the end of the area, and glibc's qsort may compare copies of elements. */
  return 0;
}
static void callback_handler(void) {}

/* How many bytes an extent has; strings have theirs already. */
static long extent_of(const struct extent *extent, union value *values, long string) {
  switch (extent->kind) {
  case BYTES: return extent->a;
  case PARAM: return (long)values[extent->a].integer;
  case PRODUCT: return (long)values[extent->a].integer * (long)values[extent->b].integer;
  case STRING: return string;
  case STRING_AT_MOST: return string < (long)values[extent->a].integer ? string : (long)values[extent->a].integer;
  default: return 600;
  }
}

static int is_size(const struct function *f, int n) {
  for (int i = 0; i < f->count; i++)
    for (int w = 0; w < 2; w++) {
      const struct extent *e = w ? &f->params[i].writes : &f->params[i].reads;
      if ((e->kind == PARAM || e->kind == STRING_AT_MOST) && e->a == n) return 1;
      if (e->kind == PRODUCT && (e->a == n || e->b == n)) return 1;
    }
  return 0;
}

static long integer_for(const struct function *f, int n, unsigned long *r, int scratch[2]) {
  const char *name = f->params[n].name;
  static const long odd[] = {0, 1, -1, 2, 127, 128, 255, 256, INT_MAX, INT_MIN, LONG_MAX, LONG_MIN};
  if (is(name, "room")) return 600;
  if (is_size(f, n)) return is(f->name, "fgets") ? 1 + below(r, 40) : (long)below(r, is(name, "size") ? 9 : 41);
  if (is(name, "fd")) return scratch[0];
  if (is(name, "other")) return scratch[1];
  if (is(name, "c")) return (long)below(r, 257) - 1;
  if (is(name, "base")) return (long[]){0, 2, 8, 10, 16, 36, 1, 40}[below(r, 8)];
  if (is(name, "whence")) return below(r, 4);
  if (is(name, "align")) return (long[]){8, 16, 64, 4096}[below(r, 4)];
  if (is(name, "error")) return below(r, 200);
  if (is(name, "signal")) return below(r, 80);
  if (is(name, "status") || is(name, "category")) return below(r, 6);
  if (is(name, "flag") || is(name, "overwrite") || is(name, "clock")) return below(r, 2);
  if (is(name, "seconds")) return 0;
  if (is(name, "microseconds")) return below(r, 20);
  if (is(name, "mode")) return is(f->name, "setvbuf") ? (long)below(r, 4) : is(f->name, "access") ? (long)below(r, 8) : 0600;
  if (is(name, "flags")) return O_RDWR | (below(r, 2) ? O_CREAT : 0);
  if (is(name, "size") || is(name, "count")) return below(r, 8) ? (long)below(r, 100) : LONG_MAX / 3;
  if (f->params[n].width == 32 && is(name, "n") && f->count == 2) return (long)below(r, 2400) - 1200;
  return below(r, 2) ? odd[below(r, sizeof odd / sizeof *odd)] : (long)random_bits(r) >> below(r, 60);
}

static double double_for(unsigned long *r) {
  static const double odd[] = {0.0, -0.0, 1.0, -1.0, 0.5, 2.5, 1e308, -1e308, 5e-324, INFINITY, -INFINITY, NAN, 710.0, 1e10};
  if (below(r, 3) == 0) return odd[below(r, sizeof odd / sizeof *odd)];
  if (below(r, 2)) return ((double)(long)random_bits(r)) / (1l << (20 + below(r, 43)));
  unsigned long bits = random_bits(r);
  double d;
  memcpy(&d, &bits, 8);
  return d;
}

/* A string for a parameter, without its end. */
static void string_for(const struct function *f, int n, unsigned long *r, char *out) {
  const char *name = f->params[n].name;
  int length = below(r, 20);
  if (is(name, "format") && is(f->name, "strftime")) {
    strcpy(out, (const char *[]){"%Y-%m-%d", "%H:%M:%S %p", "%j%%", "%A %B", ""}[below(r, 5)]);
  } else if (is(name, "format") && strstr(f->name, "scanf")) {
    strcpy(out, (const char *[]){"%d", "%d %15s", "%d %15s %lf", "x%d", ""}[below(r, 5)]);
  } else if (is(name, "format")) {
    strcpy(out, (const char *[]){"%d", "%d %s", "%5d|%-8s|%.3f", "%x %.2s %g %c", "plain", "", "%08d%%%10s"}[below(r, 7)]);
  } else if (is(f->name, "mkstemp")) {
    strcpy(out, below(r, 4) ? "abXXXXXX" : "ab");
  } else if (is(f->name, "setlocale")) {
    strcpy(out, (const char *[]){"C", "C.UTF-8", "xx"}[below(r, 3)]);
  } else if (is(name, "command")) {
    strcpy(out, (const char *[]){":", "exit 3"}[below(r, 2)]);
  } else if (is(name, "mode")) {
    strcpy(out, (const char *[]){"r", "w", "r+", "w+", "a", "zz"}[below(r, 6)]);
  } else if (is(f->name, "putenv")) {
    strcpy(out, (const char *[]){"A=b", "AB=", "B"}[below(r, 3)]);
  } else if (is(name, "path") || is(name, "name") || is(name, "from") || is(name, "to")) {
    for (length = 1 + below(r, 2), out[length] = 0; length--;) out[length] = 'a' + below(r, 3);
  } else if (strstr(f->name, "sscanf") || strstr(f->name, "strto") || strncmp(f->name, "ato", 3) == 0 || below(r, 8) == 0) {
    static const char digits[] = "0123456789-+ .exXinfabz";
    for (out[length] = 0; length--;) out[length] = digits[below(r, sizeof digits - 1)];
  } else {
    static const char letters[] = "aabbc,; Z\xc3\xa9\x80\xff";
    for (out[length] = 0; length--;) out[length] = letters[below(r, sizeof letters - 1)];
  }
}

/* Contents that are more than bytes. */
static void contents_for(const struct function *f, int n, unsigned long *r, unsigned char *at, long size, int set) {
  const char *name = f->params[n].name;
  if (size == 56) {
    struct tm tm = {below(r, 60), below(r, 60), below(r, 24), 1 + below(r, 28), below(r, 12), below(r, 300), below(r, 7),
                    below(r, 365), (int)below(r, 3) - 1, 0, 0};
    memcpy(at, &tm, sizeof tm);
  } else if (is(f->name, "nanosleep")) {
    struct timespec t = {0, below(r, 1000)};
    memcpy(at, &t, sizeof t);
  } else if (is(name, "t") && size == 8) {
    long t = (long)random_bits(r) >> below(r, 60);
    memcpy(at, &t, 8);
  } else if (is(name, "place")) {
    unsigned char *text = below(r, 8) ? areas[set][BEHIND] : 0;
    memcpy(at, &text, 8);
  } else {
    for (long i = 0; i < size; i++) at[i] = below(r, 4) ? "ab,\0\xff"[below(r, 5)] : random_bits(r);
  }
}

struct outcome {
  union value result;
  int returned, where;
  unsigned char *at[AREAS];
  long size[AREAS];
};

static long in_use(void) { return (long)mallinfo2().uordblks; }

/* One call. `set` says which areas are used and what unread memory holds. */
static void call(const struct function *f, int set, struct outcome *out) {
  unsigned long state = seed, *r = &state;
  union value values[8];
  int scratch[2] = {-1, -1};
  FILE *file = 0;
  char text[64];
  memset(out, 0, sizeof *out);
  memset(values, 0, sizeof values);
  for (int i = 0; i < AREAS; i++) {
    mprotect(areas[set][i], AREA, PROT_READ | PROT_WRITE);
    memset(areas[set][i], FILL, AREA);
  }
  if (f->world) {
    scratch[0] = open("scratch", O_RDWR | O_CREAT, 0600);
    scratch[1] = open("scratch", O_RDWR);
    if (write(scratch[0], scratch_text, sizeof scratch_text - 1) < 0) _exit(96);
    lseek(scratch[0], 0, SEEK_SET);
    /* What reads standard input must not wait. */
    dup2(scratch[0], 0);
    lseek(0, 0, SEEK_SET);
    clearerr(stdin);
    rewind(stdin);
  }
  for (int i = 0; i < f->count; i++) {
    if (f->params[i].kind == INTEGER) values[i].integer = integer_for(f, i, r, scratch);
    if (f->params[i].kind == SINGLE) values[i].single = (float)double_for(r);
    if (f->params[i].kind == DOUBLE) values[i].real = double_for(r);
    if (f->params[i].kind == LONG_DOUBLE) values[i].extended = double_for(r);
  }
  int protection[AREAS];
  for (int i = 0; i < f->count; i++) {
    const struct param *p = &f->params[i];
    protection[i] = PROT_NONE;
    if (p->kind != POINTER) continue;
    string_for(f, i, r, text);
    unsigned char *end = areas[set][i] + AREA, *at = end - 64;
    int skipped = (is(p->name, "end") || is(p->name, "zone") || is(p->name, "rest") || is(p->name, "buffer")) && below(r, 3) == 0;
    if (is(p->name, "f")) {
      file = fopen("scratch", "r+");
      values[i].pointer = file;
      continue;
    }
    if (is(p->name, "compare") || is(p->name, "handler")) {
      values[i].pointer = is(p->name, "compare") ? (void *)callback_compare : (void *)callback_handler;
      continue;
    }
    if (f->frees == i) {
      values[i].pointer = below(r, 5) ? malloc(24) : 0;
      if (values[i].pointer) memset(values[i].pointer, 'x', 24);
      continue;
    }
    if (skipped) continue;
    long size = 64;
    if (p->reads.kind != NOTHING) {
      int terminated = p->reads.kind == STRING || p->reads.kind == STRING_AT_MOST || p->reads.kind == ANYTHING;
      size = extent_of(&p->reads, values, (long)strlen(text) + 1);
      /* Where an argument is written too, it begins at one place. */
      long written = p->writes.kind == NOTHING ? 0 : extent_of(&p->writes, values, 0);
      if (written > size) size = written;
      at = end - size;
      if (terminated) memcpy(at, text, (long)strlen(text) + 1 < size ? (long)strlen(text) + 1 : size);
      else contents_for(f, i, r, at, size, set);
      protection[i] = p->writes.kind != NOTHING || p->stores || p->keeps ? PROT_READ | PROT_WRITE : PROT_READ;
    } else if (p->writes.kind != NOTHING || p->stores) {
      size = p->stores ? 8 : extent_of(&p->writes, values, 0);
      at = end - size;
      protection[i] = PROT_READ | PROT_WRITE;
      memset(at, set ? 0xa1 : 0x3c, size);
      if (is(f->name, "strtok")) strcpy((char *)at, text);
    } else if (p->keeps) {
      protection[i] = PROT_READ | PROT_WRITE;
      at = areas[set][i];
    }
    values[i].pointer = at;
    out->at[i] = at;
    out->size[i] = end - at;
  }
  /* Further arguments: a number, a string, a number with a point, a letter. */
  strcpy((char *)areas[set][STRING_ARGUMENT] + AREA - 6, "hello");
  strcpy((char *)areas[set][BEHIND], "one,two;three");
  struct further further = {(int)below(r, 5000) - 2500, areas[set][STRING_ARGUMENT] + AREA - 6, double_for(r), 'q'};
  int scans = strstr(f->name, "scanf") != 0;
  mprotect(areas[set][STRING_ARGUMENT], AREA, scans ? PROT_READ | PROT_WRITE : PROT_READ);
  for (int i = 0; i < f->count; i++)
    if (f->params[i].kind == POINTER) mprotect(areas[set][i], AREA, protection[i]);
  if (hidden_state) {
    uselocale(other_locale);
    strtok((char[]){"other state"}, " ");
  } else {
    uselocale(LC_GLOBAL_LOCALE);
  }
  void *freed = f->frees >= 0 ? values[f->frees].pointer : 0;
  long used = in_use();
  made_call = -1;
  int signal = sigsetjmp(escape, 1);
  if (signal == 0) {
    alarm(f->ends_always ? 3 : 1);
    errno = 4321;
    in_call = 1;
    f->call(f->address, values, scans ? (struct further){0} : further, areas[set], &out->result);
    in_call = 0;
    int error = errno;
    alarm(0);
    out->returned = 1;
    if (error != 4321 && !f->error && f->hidden != WRITES) report("sets errno", 0);
  } else {
    in_call = 0;
    alarm(0);
    if (signal != SIGALRM) report("accesses memory that it does not name", 0);
    else if (f->ends_always) report("does not return", 0);
  }
  uselocale(LC_GLOBAL_LOCALE);
  long growth = in_use() - used;
  for (int i = 0; i < AREAS; i++) mprotect(areas[set][i], AREA, PROT_READ | PROT_WRITE);
  if (made_call != -1 && !f->world) report("calls the system", 0);
  for (int i = 0; i < f->count; i++)
    for (unsigned char *b = areas[set][i]; out->at[i] && b < out->at[i]; b++)
      if (*b != FILL && !f->params[i].keeps) {
        report("writes before", f->params[i].name);
        break;
      }
  /* What the result, and what is stored, points to. */
  unsigned char *result = out->result.pointer;
  int fresh = 0;
  if (out->returned && f->result == POINTER) {
    for (int i = 0; i < f->count; i++)
      if (out->at[i] && result >= out->at[i] && result <= out->at[i] + out->size[i]) {
        out->where = i + 1;
        out->result.integer = result - out->at[i];
      }
    if (f->returns >= 0 && result && out->where != f->returns + 1) report("returns another pointer than to", f->params[f->returns].name);
    if (f->never_null && !result) report("returns null", 0);
    if (f->fresh && result && !(freed && !f->fresh_only && result == freed)) {
      fresh = 1;
      if (growth <= 0 && !freed) report("returns no new object", 0);
    }
    if (f->fresh && result) free(result);
  }
  for (int i = 0; out->returned && i < f->count; i++) {
    unsigned char *stored;
    if (!f->params[i].stores || !out->at[i]) continue;
    memcpy(&stored, out->at[i], 8);
    int source = f->params[i].stores - 2;
    unsigned char *before;
    memset(&before, set ? 0xa1 : 0x3c, 8);
    if (source < 0 && growth > 0) fresh = 1, free(stored);
    if (source >= 0 && stored != before && (stored < out->at[source] || stored > out->at[source] + out->size[source]))
      report("stores another address in", f->params[i].name);
    /* An address is compared as a distance. */
    if (stored != before) {
      long distance = source >= 0 ? stored - out->at[source] : 1;
      memcpy(out->at[i], &distance, 8);
    }
  }
  if (out->returned && !fresh && !f->world && f->hidden != WRITES) {
    if (growth > 0 && !f->fresh) report("allocates", 0);
    if (growth < 0 && f->frees < 0) report("frees", 0);
    if (f->frees >= 0 && freed && growth >= 0 && f->result != POINTER) report("does not free", 0);
  }
  if (is(f->name, "putenv")) clearenv();
  if (is(f->name, "setlocale")) setlocale(LC_ALL, "C");
  if (is(f->name, "chdir") && chdir(home)) _exit(95);
  if (file && !is(f->name, "fclose") && !is(f->name, "freopen")) fclose(file);
  if (is(f->name, "pipe") && out->at[0]) {
    int ends[2];
    memcpy(ends, out->at[0], 8);
    if (out->result.integer == 0) close(ends[0]), close(ends[1]);
  }
  if (f->world) {
    for (int descriptor = 4; descriptor < 40; descriptor++) close(descriptor);
    fflush(stdout);
  }
}

static int is_same_result(const struct function *f, const struct outcome *a, const struct outcome *b) {
  if (a->returned != b->returned || a->where != b->where) return 0;
  if (f->result == POINTER && !a->where) return f->fresh || f->returns < -1 || !a->result.pointer == !b->result.pointer;
  return memcmp(&a->result, &b->result, f->result_bytes) == 0;
}

/* Whether two calls did the same: what is written must be the same bytes, and the rest as it was in either. */
static void compare(const struct function *f, struct outcome *a, struct outcome *b, const char *when) {
  if (!is_same_result(f, a, b)) report("gives another result", when);
  for (int i = 0; i < f->count; i++) {
    if (!a->at[i] || (f->params[i].writes.kind == NOTHING && !f->params[i].stores) || f->params[i].keeps) continue;
    for (long n = 0; n < a->size[i]; n++) {
      int untouched = a->at[i][n] == 0x3c && b->at[i][n] == 0xa1;
      if (a->at[i][n] != b->at[i][n] && !untouched) {
        report("writes other bytes", when);
        break;
      }
    }
  }
}

static void probe(const struct function *f, int trials) {
  running = f;
  unsigned long start = 0;
  for (const char *c = f->name; *c; c++) start = start * 31 + (unsigned char)*c;
  int before = violations;
  for (int trial = 0; trial < trials && violations - before < 3; trial++) {
    seed = start * 1000003 + trial;
    struct outcome a, b, c;
    hidden_state = 0;
    call(f, 0, &a);
    call(f, 1, &b);
    if (f->world || f->hidden == WRITES) continue;
    compare(f, &a, &b, "with other contents of what it does not read");
    if (f->hidden == READS) continue;
    hidden_state = 1;
    call(f, 1, &c);
    compare(f, &a, &c, "in another state of the library");
  }
}

/* A function that never returns: each call is a process of its own. */
static void probe_end(const struct function *f, int trials) {
  running = f;
  for (int trial = 0; trial < trials; trial++) {
    pid_t child = fork();
    if (child == 0) {
      struct rlimit none = {0, 0};
      setrlimit(RLIMIT_CORE, &none);
      struct outcome out;
      seed = trial * 1000003ul;
      call(f, 0, &out);
      /* A signal that it raises itself is an end as well; what was caught as an access is not. */
      _exit(out.returned ? 77 : 78);
    }
    int status;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) report("returns", 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) >= 78 && WEXITSTATUS(status) < 99) report("fails", 0);
  }
}

/* From now on every system call but those of memory, signals and reports is a SIGSYS. */
static int forbid_system_calls(void) {
#define ALLOW(n) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, n, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      ALLOW(SYS_brk), ALLOW(SYS_mmap), ALLOW(SYS_munmap), ALLOW(SYS_mprotect), ALLOW(SYS_mremap), ALLOW(SYS_madvise),
      ALLOW(SYS_rt_sigprocmask), ALLOW(SYS_rt_sigreturn), ALLOW(SYS_exit_group), ALLOW(SYS_alarm), ALLOW(SYS_futex),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, REPORT, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static void each(int world, int trials) {
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    struct function *f = &functions[i];
    if (f->world != world) continue;
    int before = violations;
    running = f;
    if (!f->address) f->address = dlsym(RTLD_DEFAULT, f->name);
    if (!f->address) continue;
    if (f->ends_never) probe_end(f, 3);
    else probe(f, world ? trials / 10 + 3 : trials);
    char line[200];
    int n = snprintf(line, sizeof line, "PROBED %s %d\n", f->name, violations - before);
    if (write(REPORT, line, n) != n) _exit(94);
  }
}

int main(int argc, char **argv) {
  int trials = argc > 1 ? atoi(argv[1]) : 100;
  dup2(1, REPORT);
  /* What functions print goes nowhere. */
  int nowhere = open("/dev/null", O_RDWR);
  dup2(nowhere, 1);
  dup2(nowhere, 2);
  dup2(nowhere, 0);
  if (!getcwd(home, sizeof home)) return 93;
  for (int set = 0; set < 2; set++)
    for (int i = 0; i < AREAS; i++) {
      unsigned char *all = mmap(0, AREA + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (all == MAP_FAILED) return 92;
      areas[set][i] = all + PAGE;
      mprotect(areas[set][i], AREA, PROT_READ | PROT_WRITE);
    }
  other_locale = newlocale(LC_ALL_MASK, "C.UTF-8", 0);
  struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_NODEFER};
  for (int i = 0; i < 4; i++) sigaction((int[]){SIGSEGV, SIGBUS, SIGSYS, SIGALRM}[i], &action, 0);
  tzset();
  free(malloc(100));
  each(1, trials);
  if (!forbid_system_calls() && write(REPORT, "UNFILTERED\n", 11) != 11) return 91;
  each(0, trials);
  if (write(REPORT, "DONE\n", 5) != 5) return 90;
  _exit(0);
}

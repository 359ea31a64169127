#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <locale.h>
#include <malloc.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Where reports go: functions print to the other descriptors. */
#define REPORT 3
static char home[4096];

enum kind { VOID, INTEGER, POINTER, SINGLE, DOUBLE, LONG_DOUBLE };
enum extent_kind { NOTHING, BYTES, PARAM, PRODUCT, STRING, STRING_AT_MOST, ANYTHING };
enum hidden { UNTOUCHED, READS, WRITES };

union value {
  unsigned long integer;
  void *pointer;
  float single;
  double real;
  long double extended;
};
struct extent {
  enum extent_kind kind;
  long a, b;
};
struct param {
  const char *name;
  enum kind kind;
  int width, keeps;
  /* 1: the address of a new object, 2 + n: an address into what parameter n points to. */
  int stores;
  struct extent reads, writes;
};
/* Arguments past the last parameter. */
struct further {
  int number;
  void *string;
  double real;
  int letter;
};
struct function {
  const char *name;
  void (*call)(void *, union value *, struct further, unsigned char **, union value *);
  void *address;
  int count, result, result_bytes;
  /* The parameter that the result points into; -1: a number or a new object, -2: memory of the library. */
  int returns;
  int fresh, fresh_only, never_null, frees, world, error, ends_always, ends_never;
  enum hidden hidden;
  struct param params[6];
};

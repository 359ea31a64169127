//! The engine `boundary`, with `flat` alone beside it to judge what it cuts out: what is contained, what must not be, and random
//! changes to random functions.

mod conditions;
mod holes;
mod left_callees;
mod random;

use crate::support;
use std::rc::Rc;
use std::time::Duration;
use verdiff_engines::Facts;
use verdiff_engines::boundary::Boundary;
use verdiff_engines::flat::Flat;
use verdiff_engines::testing::Testing;
use verdiff_judge::{Comparison, Engine, Judgement, Judgements, PairId, Settings};
use verdiff_logic::effort::Effort;
use verdiff_plan::job::{Allowance, Judged};
use verdiff_plan::worker::Worker;

fn proving(facts: &Rc<Facts>) -> Vec<Box<dyn Engine>> {
    vec![Box::new(Flat::new(facts)), Box::new(Boundary::new(facts))]
}

/// Without test runs, which would find differences before anybody tries to prove that there are none.
fn all_that_prove(facts: &Rc<Facts>) -> Vec<Box<dyn Engine>> {
    let all = verdiff_engines::all(facts).into_iter();
    all.filter(|engine| engine.name() != "testing").collect()
}

fn testing(_: &Rc<Facts>) -> Vec<Box<dyn Engine>> {
    vec![Box::new(Testing::default())]
}

fn compared(old: &str, new: &str) -> Option<Rc<Comparison>> {
    support::compared(old, new, Settings::default())
}

fn judged(comparison: &Rc<Comparison>) -> Vec<Judged> {
    support::judged_by(
        proving,
        support::effort(Effort::millis(400), Effort::seconds(3)),
        comparison,
    )
}

/// The engines that made the last function of the file equal; none if it is not.
fn equal_by(old: &str, new: &str) -> Option<String> {
    equal_within(old, new, support::effort(Effort::millis(400), Effort::seconds(3)))
}

fn equal_within(old: &str, new: &str, effort: Effort) -> Option<String> {
    let comparison = compared(old, new).expect("it compiles");
    let mut all = support::judged_by(proving, effort, &comparison);
    let last = all.pop().expect("there is a pair");
    let is_equal = last.judgement.is_equal();
    is_equal.then(|| last.judgement.evidence()[0].engine.clone())
}

/// Whether runs of the pair differ.
fn differs(comparison: &Rc<Comparison>, pair: PairId) -> bool {
    let mut worker = Worker::with(comparison.clone(), testing);
    let allowed = Allowance {
        effort: Effort::millis(200),
        timeout: Duration::from_secs(60),
        loading: Duration::ZERO,
    };
    let nothing = (Judgement::default(), Judgements::new());
    let judged = worker.judge(pair, nothing.0, &nothing.1, allowed, &mut |_| {});
    !judged.candidates.is_empty()
}

/// A function with loops, memory and unknown calls around one statement.
fn around(declarations: &str, statement: &str) -> String {
    format!(
        "int tell(int); struct node {{ int value; struct node *next; }};
         {declarations}
         int f(struct node *p, int *a, int n, int x) {{
             int total = 0;
             for (int i = 0; i < n; i++) {{
                 if (a[i] > tell(i)) total += a[i];
                 while (p && p->value < i) p = p->next;
                 {statement}
                 if (total == 77) goto out;
             }}
             total += tell(total);
         out:
             for (; p; p = p->next) total ^= p->value;
             return total + x;
         }}"
    )
}

#[test]
fn changes_in_large_surroundings_are_contained() {
    let cases = [
        ("", "total = total * 2;", "total = total + total;"),
        ("", "if (p) x += p->value;", "if (p != 0) { int v = p->value; x = v + x + v - v; }"),
        ("", "a[i] = x; a[i] += 1;", "a[i] = x + 1;"),
        ("", "x = x < 0 ? -x : x;", "if (x < 0) x = -x;"),
        ("", "if (x > 3) { total++; } else { total--; }", "if (x <= 3) total--; else total++;"),
        // Code moved into a helper.
        (
            "static int helper(int x) { return x * 3 + 1; }",
            "total += x * 3 + 1;",
            "total += helper(x);",
        ),
        // A read that is made twice instead of once.
        ("", "total += a[0] + a[0];", "int t = a[0]; total += t + t;"),
        // Statements that do not touch each other, in another order.
        ("", "total += 3; x ^= 1;", "x ^= 1; total += 3;"),
        // Several sites at once.
        ("", "total += x * 2; tell(3); x -= 1 - 2;", "total += x + x; tell(3); x = x + 1;"),
        // A constant that only one version reads.
        ("static const int table[4] = {0, 1, 4, 9};", "total += table[3];", "total += 9;"),
        (
            "static const int table[4] = {0, 1, 4, 9};",
            "x = table[x & 3];",
            "x = (x & 3) * (x & 3);",
        ),
        ("static const int table[2] = {7, 7};", "total += table[x & 1];", "total += 7;"),
        // Only one version has code there.
        ("", ";", "total = total;"),
        ("", "x = x * 1 + 0;", ";"),
    ];
    for (declarations, old, new) in cases {
        let (old, new) = (around(declarations, old), around(declarations, new));
        assert!(equal_by(&old, &new).is_some(), "{old}\n{new}");
        assert!(equal_by(&new, &old).is_some(), "{new}\n{old}");
    }
}

/// Two changed functions, and a client with a loop that calls them so.
fn client(value: &str, other: &str, calls: &str) -> String {
    format!(
        "int tell(int);
         static int lib(int x) {{ return x & 4 ? {value} : 0; }}
         static int other(int x) {{ return x & 4 ? {other} : 0; }}
         int f(int n, int x) {{
             int total = other(0);
             for (int i = 0; i < n; i++) {{ total += tell(i); {calls} }}
             return total;
         }}"
    )
}

#[test]
fn calls_that_are_used_alike_are_judged_once_and_others_are_not() {
    let alike = "if (lib(x) == 0) total += 1; if (lib(x + i * 3) == 0) total ^= 2; if (lib(i) == 0) total -= i;";
    let both = |calls: &str| [client("3", "3", calls), client("5", "0", calls)];
    let is_contained = |calls: &str| {
        let [old, new] = both(calls);
        equal_by(&old, &new).as_deref() == Some("boundary")
    };
    assert!(is_contained(alike));
    // The last call is used otherwise, or is one of another function, of which the same is not true.
    for calls in [
        "if (lib(x) == 0) total += 1; if (lib(i) == 3) total -= i;",
        "if (lib(x) == 0) total += 1; if (lib(i) > 3) total -= i;",
        "if (lib(x) == 0) total += 1; total += lib(i);",
        "if (lib(x) == 0) total += 1; if (other(i) == 0) total -= i;",
    ] {
        assert!(!is_contained(calls), "{calls}");
        let [old, new] = both(calls);
        assert!(equal_by(&old, &new).is_none(), "{calls}");
    }
}

#[test]
fn changes_that_get_out_are_not_contained() {
    let cases = [
        ("", "total += 1;", "total += 2;"),
        ("", "total = total * 2;", "total = total * 3;"),
        // A read that only one version makes traps in some calls.
        ("", "x = x;", "x = x + (a[3] - a[3]);"),
        // Another order of calls.
        ("", "tell(1); tell(2);", "tell(2); tell(1);"),
        ("", "if (x) goto out;", "if (!x) goto out;"),
        ("", "x = 0; total = 1;", "total = 0; x = 1;"),
        // Equal only while nobody writes in between.
        (
            "",
            "total += a[0]; tell(2); total += a[0];",
            "int t = a[0]; total += t; tell(2); total += t;",
        ),
        // A pointer that may alias.
        (
            "",
            "a[0] = 1; if (p) p->value = 2; total += a[0];",
            "a[0] = 1; if (p) p->value = 2; total += 1;",
        ),
        ("", "break;", "continue;"),
        // A constant that does not hold that; one that another index leaves; a table that is written; a write that may meet a constant.
        ("static const int table[4] = {0, 1, 4, 8};", "total += table[3];", "total += 9;"),
        ("static const int table[3] = {0, 1, 4};", "x = table[x & 3];", "x = (x & 3) * (x & 3);"),
        (
            "static int table[2] = {7, 7}; void set(int v) { table[0] = v; }",
            "total += table[x & 1];",
            "total += 7;",
        ),
        ("static const int table[2] = {7, 7};", "*(int *)table = 7;", ";"),
        ("static const int table[2] = {7, 7};", "a[0] = table[0];", "if (a != table) a[0] = 7;"),
    ];
    for (declarations, old, new) in cases {
        let (old, new) = (around(declarations, old), around(declarations, new));
        assert_eq!(equal_by(&old, &new), None, "{old}\n{new}");
        assert_eq!(equal_by(&new, &old), None, "{new}\n{old}");
    }
}

/// The programs that break tempting shortcuts, one for each.
#[test]
fn tempting_shortcuts_are_not_taken() {
    let cases = [
        // Exits that each side numbers by itself.
        (
            "int f(int c){if(c)goto A;goto B;A:return 1;B:return 2;}",
            "int f(int c){if(c)goto B;goto A;A:return 1;B:return 2;}",
        ),
        // Variables matched from both ends with names ignored.
        (
            "int f(int a,int b){int x=a,y=b;return x-y;}",
            "int f(int a,int b){int x=a,y=b;return y-x;}",
        ),
        // Live in one version only.
        (
            "void g(void);int f(int a){int x=a;x=7;g();return 7;}",
            "void g(void);int f(int a){int x=a;g();return x;}",
        ),
        // A region has no restrict.
        (
            "int f(int*restrict p,int*q){q=p;*p=1;*q=2;return *p;}",
            "int f(int*restrict p,int*q){q=p;*p=1;*q=2;return 1;}",
        ),
        // Under a condition, and bare.
        (
            "void h(int);int f(int x){int y;if(x>0){y=x>0?1:2;h(y);}y=x>0?1:2;return y;}",
            "void h(int);int f(int x){int y;if(x>0){y=1;h(y);}y=1;return y;}",
        ),
        // What follows only looks at some of it, at first.
        (
            "void g(void);int f(int a){int x=a!=0;if(x)g();return x>1;}",
            "void g(void);int f(int a){int x=a;if(x)g();return x>1;}",
        ),
        (
            "int f(int n,int x){while(n-->0)x=x==5?-1:5;return x>0;}",
            "int f(int n,int x){while(n-->0)x=x==5?-1:6;return x>0;}",
        ),
        // All changed callees at once.
        (
            "static int a(void){return 0;}static int b(void){return 0;}int f(void){return a()&b();}",
            "static int a(void){return 1;}static int b(void){return 1;}int f(void){return a()&b();}",
        ),
        // A call that is hidden in a library function.
        (
            "#include <stdlib.h>\nstatic int cmp(const void*a,const void*b){return *(int*)a-*(int*)b;}\nvoid f(int*v,int n){qsort(v,n,4,cmp);}",
            "#include <stdlib.h>\nstatic int cmp(const void*a,const void*b){return *(int*)b-*(int*)a;}\nvoid f(int*v,int n){qsort(v,n,4,cmp);}",
        ),
        // A recursive call is not known to be equal.
        (
            "int f(int n){if(n<0)return 1;if(n==5)return f(-1);return 0;}",
            "int f(int n){if(n<0)return 2;if(n==5)return f(-1);return 0;}",
        ),
        // Objects by number of allocation.
        (
            "#include <stdlib.h>\nint f(void){char*p=malloc(1);char*q=malloc(2);return p<q;}",
            "#include <stdlib.h>\nint f(void){char*q=malloc(2);char*p=malloc(1);return p<q;}",
        ),
        // A variable that may be uninitialised where the region begins, and is read there by one version only.
        (
            "int tell(int);int f(int c,int n){int x;for(int i=0;i<n;i++)tell(i);if(c)x=1;for(int i=0;i<n;i++)tell(i);return c?x:0;}",
            "int tell(int);int f(int c,int n){int x;for(int i=0;i<n;i++)tell(i);x=c?1:x;for(int i=0;i<n;i++)tell(i);return c?x:0;}",
        ),
        // Initialised in one version only.
        (
            "int g(int*);int f(int c){int a[2];if(c){a[0]=1;return g(a);}return 0;}",
            "int g(int*);int f(int c){int a[2];if(c){a[0]=1;a[1]=1;return g(a);}return 0;}",
        ),
    ];
    for (old, new) in cases {
        assert_eq!(equal_by(old, new), None, "{old}\n{new}");
        assert_eq!(equal_by(new, old), None, "{new}\n{old}");
    }
}

/// The same for loops, recursion and jumps, with all engines that prove.
#[test]
fn tempting_shortcuts_about_loops_are_not_taken() {
    let cases = [
        // Two rounds against one, where the number of rounds may be odd: a pair of exits that is never met is not covered.
        (
            "int f(int n){int s=0;for(int i=0;i<n;i++)s+=i;return s;}",
            "int f(int n){int s=0;for(int i=0;i+1<n;i+=2)s+=i+i+1;return s;}",
        ),
        // Equal for n >= 0 where the loop begins, which is not where the function begins.
        (
            "int f(int n){int s=0,i;n=-n;for(i=0;i!=n;i++)s++;return s;}",
            "int f(int n){int s=0,i;n=-n;for(i=0;i<n;i++)s++;return s;}",
        ),
        // What is known of a range is known of the elements that were looked at, not of any that is asked for.
        (
            "void f(char*a,int n){for(int i=0;i<n;i++)a[i]=0;}",
            "void f(char*a,int n){for(int i=0;i<n;i++){a[i]=0;if(i==9)a[3]=1;}}",
        ),
        // A path is proved from a hypothesis about all paths.
        (
            "int f(int n){if(n==0)return 0;return f(n-1);}",
            "int f(int n){if(n==0)return 1;return f(n-1);}",
        ),
        // A function without a body that can be read has calls all the same.
        (
            "#include <stdarg.h>\nstatic int h(void){return 1;}int f(int n,...){va_list a;va_start(a,n);__asm__ goto(\"\"::::out);out:va_end(a);return h();}",
            "#include <stdarg.h>\nstatic int h(void){return 2;}int f(int n,...){va_list a;va_start(a,n);__asm__ goto(\"\"::::out);out:va_end(a);return h();}",
        ),
        // What is stored before a jump out of the function.
        (
            "#include <setjmp.h>\nstatic jmp_buf b;static int G;static void g(void){G=1;longjmp(b,1);}int f(void){if(setjmp(b))return G;g();return 0;}",
            "#include <setjmp.h>\nstatic jmp_buf b;static int G;static void g(void){G=2;longjmp(b,1);}int f(void){if(setjmp(b))return G;g();return 0;}",
        ),
    ];
    let effort = support::effort(Effort::millis(400), Effort::seconds(3));
    for (old, new) in cases {
        for (old, new) in [(old, new), (new, old)] {
            let comparison = compared(old, new).expect("it compiles");
            let judged = support::judged_by(all_that_prove, effort, &comparison);
            let last = judged.last().expect("there is a pair");
            assert!(!last.judgement.is_equal(), "{old}\n{new}");
        }
    }
}

/// A function with a loop, a local array and two stores to it.
fn with_array(declaration: &str, stores: &str, behind: &str) -> String {
    format!(
        "int tell(int); int *kept; int outer(int *);
         int f(const int *a, int n, int x, int y) {{
             {declaration} int total = 0;
             for (int i = 0; i < n; i++) {{
                 if (a[i] > tell(i)) {{ {stores} }}
                 total += s[i & 7]; {behind}
             }}
             return total;
         }}"
    )
}

#[test]
fn stores_to_private_objects_may_be_exchanged() {
    let [low, high] = ["s[x & 3] = y;", "s[4 + (y & 3)] = x;"];
    let both = [format!("{low} {high}"), format!("{high} {low}")];
    // Whether the array is initialised or not.
    for declaration in ["int s[8] = {0};", "int s[8]; s[0] = n;"] {
        let [old, new] = both.each_ref().map(|stores| with_array(declaration, stores, ""));
        assert_eq!(equal_by(&old, &new).as_deref(), Some("boundary"), "{old}");
    }
    // Both versions trap alike, and nobody sees the array then.
    let [old, new] =
        [format!("{low} s[4 + (y & 7)] = s[9];"), format!("s[4 + (y & 7)] = s[9]; {low}")]
            .map(|stores| with_array("int s[8] = {0};", &stores, ""));
    assert_eq!(equal_by(&old, &new).as_deref(), Some("boundary"), "{old}");
    // They may be to one element, or one may read what the other writes.
    for (low, high) in
        [("s[x & 4] = y;", high), (low, "s[y] = 1;"), (low, "s[4 + (y & 3)] = s[x & 3];")]
    {
        let old = with_array("int s[8] = {0};", &format!("{low} {high}"), "");
        let new = with_array("int s[8] = {0};", &format!("{high} {low}"), "");
        assert_eq!(equal_by(&old, &new), None, "{old}");
    }
}

#[test]
fn objects_that_others_can_reach_are_not_copied_for_a_region() {
    // Between the stores the object is read by whoever has its address.
    let stores = ["s[1] = x; tell(0); s[1] = y;", "s[1] = y; tell(0);"];
    let reached = [
        ("int s[8] = {0}; kept = s;", ""),
        ("int s[8] = {0}; outer(s);", ""),
        ("int s[8] = {0};", "kept = &s[x & 7];"),
        ("volatile int s[8] = {0};", ""),
        ("int s[8] = {0}; int *q = x ? s : kept; *q = 3;", ""),
    ];
    for (declaration, behind) in reached {
        let [old, new] = stores.map(|stores| with_array(declaration, stores, behind));
        for (old, new) in [(&old, &new), (&new, &old)] {
            assert_eq!(equal_by(old, new), None, "{old}");
        }
    }
    // Where nobody has it, nobody can tell.
    let [old, new] = stores.map(|stores| with_array("int s[8] = {0};", stores, ""));
    assert_eq!(equal_by(&old, &new).as_deref(), Some("boundary"), "{old}");
    // Nor may it have another size.
    let old = with_array("int s[8] = {0};", "s[x & 7] = 1; s[y] = 2;", "");
    let new = with_array("int s[9] = {0};", "s[x & 7] = 1; s[y] = 2; s[0] = s[0];", "");
    assert_eq!(equal_by(&old, &new), None, "{old}");
}

#[test]
fn a_callee_that_hangs_in_one_version_is_not_alike() {
    let old = "int g(int x){return 0;}int f(int x){int r=0;if(x>3)r=g(x);return r+1;}";
    let new = "int g(int x){for(;;);}int f(int x){int r=0;if(x>3)r=g(x);return r+1;}";
    let comparison = compared(old, new).unwrap();
    let last = judged(&comparison).pop().unwrap();
    assert!(!last.judgement.is_alike(), "{last:#?}");
}

#[test]
fn callers_of_changed_functions_are_judged_around_their_calls() {
    let library = |body: &str| format!("static int lib(int x) {{ {body} }}\n");
    let old = library("return x < 0 ? -1 : x > 0;");
    // Different, but only in how large it is where it is positive.
    let new = library("return x < 0 ? -7 : x > 0 ? 3 : 0;");
    let sign = around("", "if (lib(x) > 0) total++; if (lib(total) < 0) x = 1;");
    let value = around("", "total += lib(x);");
    let (old_sign, new_sign) = (old.clone() + &sign, new.clone() + &sign);
    assert_eq!(equal_by(&old_sign, &new_sign).as_deref(), Some("boundary"));
    assert_eq!(equal_by(&(old + &value), &(new + &value)), None);
}

/// Whether a callee returns is known of initialised memory only. A caller of `f` may have left `state.b` without a value: then the old
/// version prints before it traps, the new one does not.
#[test]
fn a_callee_that_reads_a_global_may_trap_in_calls() {
    let version = |body: &str| {
        format!(
            "#include <stdio.h>
             static struct pair {{ int a, b; }} state;
             void set(void) {{ struct pair half; half.a = 1; state = half; }}
             static int get(void) {{ return state.b; }}
             static int f(int *p) {{ {body} }}
             int caller(int *p) {{ return f(p); }}"
        )
    };
    let old = version("putchar(*p); return get();");
    let new = version("int r = get(); putchar(*p); return r;");
    let comparison = compared(&old, &new).unwrap();
    let all = judged(&comparison);
    let f = all.iter().find(|one| comparison.pair(one.pair).function == "f").unwrap();
    assert!(!f.judgement.is_equal_in_calls(), "{f:#?}");
}

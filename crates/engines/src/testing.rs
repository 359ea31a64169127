//! Both procedures in the interpreter on the same entry states.

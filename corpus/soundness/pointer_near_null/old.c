int is_five(char *p) { return p == (char *)5 ? 1 : 0; }

int *table = (int[]){1, 2, 3};

int main(void) { return table[0]; }

int *table = (int[]){5, 2, 3};

int main(void) { return table[0]; }

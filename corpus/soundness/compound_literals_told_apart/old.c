int *first = (int[]){0};
int *second = (int[]){0};

int main(void) {
    *first = 1;
    return *second;
}

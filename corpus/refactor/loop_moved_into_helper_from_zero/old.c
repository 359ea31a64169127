int weight(int);

int checksum(const unsigned char *data, int n, int seed) {
    int sum = seed;
    for (int i = 0; i < n; i++) {
        sum = sum * 31 + data[i];
        sum ^= weight(sum & 15);
    }
    return sum & 0x7fffffff;
}

int weight(int);

static int mixed(const unsigned char *data, int n, int sum) {
    for (int i = 0; i < n; i++) {
        sum = sum * 31 + data[i];
        sum ^= weight(sum & 15);
    }
    return sum;
}

int checksum(const unsigned char *data, int n, int seed) {
    return mixed(data, n, seed) & 0x7fffffff;
}

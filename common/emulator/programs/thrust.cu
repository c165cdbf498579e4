/* Thrust, and CUB under it: sort, scan, reduce over the whole device. */
#include <algorithm>
#include <cstdio>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>

int main()
{
    const int n = 50000;
    thrust::host_vector<int> h(n);
    unsigned state = 1;

    for (int i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        h[i] = (int)(state >> 8) % 100000;
    }
    thrust::device_vector<int> d = h, scanned(n);
    long long want = 0, got = thrust::reduce(d.begin(), d.end(), 0LL);

    for (int i = 0; i < n; i++)
        want += h[i];
    if (got != want)
        return printf("reduce: %lld, not %lld\n", got, want), 1;
    thrust::inclusive_scan(d.begin(), d.end(), scanned.begin());
    thrust::host_vector<int> s = scanned;
    for (int i = 0, sum = 0; i < n; i++)
        if (s[i] != (sum += h[i]))
            return printf("scan: [%d] = %d, not %d\n", i, s[i], sum), 1;
    thrust::sort(d.begin(), d.end());
    thrust::host_vector<int> sorted = d;
    std::sort(h.begin(), h.end());
    for (int i = 0; i < n; i++)
        if (sorted[i] != h[i])
            return printf("sort: [%d] = %d, not %d\n", i, sorted[i], h[i]), 1;
    printf("ok\n");
    return 0;
}

/* Prints the exact values of positions: probe GAME FOLDER FEN... From several threads at once, to show that it may.
 *
 *   cc -O2 -I probe/include probe/examples/probe.c -o probe -L target/release -ljewel_probe -lpthread
 */
#include "jewel_probe.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 4, ROUNDS = 25 };

struct job {
    const JewelTables *tables;
    char **fens;
    int count;
    int failures;
};

/* Probes all positions again and again; the answers must not change. */
static void *probe_all(void *argument) {
    struct job *job = argument;
    for (int n = 0; n < job->count; n++) {
        JewelValue first, again;
        JewelStatus status = jewel_probe(job->tables, job->fens[n], &first, NULL, 0);
        for (int round = 0; status == JEWEL_OK && round < ROUNDS; round++) {
            status = jewel_probe(job->tables, job->fens[n], &again, NULL, 0);
            if (status != JEWEL_OK || memcmp(&first, &again, sizeof first) != 0)
                job->failures++;
        }
    }
    return NULL;
}

int main(int argc, char **argv) {
    char error[256];
    if (argc < 4) {
        fprintf(stderr, "usage: probe GAME FOLDER FEN...\n");
        return 2;
    }
    JewelTables *tables;
    if (jewel_open(argv[1], argv[2], &tables, error, sizeof error) != JEWEL_OK) {
        fprintf(stderr, "error: %s\n", error);
        return 2;
    }
    printf("jewel %s, %zu classes, the first is %s\n", jewel_version(), jewel_classes(tables), jewel_class_name(tables, 0));

    int failed = 0;
    for (int n = 3; n < argc; n++) {
        JewelValue value;
        JewelStatus status = jewel_probe(tables, argv[n], &value, error, sizeof error);
        if (status != JEWEL_OK) {
            printf("%s: %s\n", argv[n], error);
            failed = 1;
        } else if (value.wdl == 0) {
            printf("%s: draw\n", argv[n]);
        } else {
            printf("%s: %s in %d plies\n", argv[n], value.wdl > 0 ? "win" : "loss", value.distance);
        }
    }

    pthread_t threads[THREADS];
    struct job jobs[THREADS];
    for (int n = 0; n < THREADS; n++) {
        jobs[n] = (struct job){tables, argv + 3, argc - 3, 0};
        if (pthread_create(&threads[n], NULL, probe_all, &jobs[n]) != 0)
            return 1;
    }
    for (int n = 0; n < THREADS; n++) {
        pthread_join(threads[n], NULL);
        failed |= jobs[n].failures != 0;
    }
    jewel_close(tables);
    return failed;
}

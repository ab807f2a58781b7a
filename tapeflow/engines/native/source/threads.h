/* Pieces of a loop on several threads, and alone where there is one processor or the others are taken.

   Whoever calls takes pieces, too, and waits only for those that another thread has begun: on a busy machine it does
   nearly everything itself. A child of fork starts with no threads and makes its own. */

#include <stdint.h>

typedef void (*work)(const void *job, int64_t from, int64_t to);

static void in_pieces(work piece, const void *job, int64_t count, int64_t least);

static int most_threads = 1;

static inline int64_t least_of(int64_t a, int64_t b) { return a < b ? a : b; }

#if defined(_WIN32)

static void in_pieces(work piece, const void *job, int64_t count, int64_t least) {
    (void)least;
    piece(job, 0, count);
}

#else

#include <pthread.h>
#include <signal.h>

#define MOST 64
#define PIECES_EACH 2
#define STACK (4 << 20)

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work_there = PTHREAD_COND_INITIALIZER, work_done = PTHREAD_COND_INITIALIZER;
static int threads_there = 0, watches_forks = 0;
static struct {
    work piece;
    const void *job;
    int64_t count, size, next, running; /* `next`: where the first piece begins that nobody has */
} now;

/* With `lock` held: does one piece, if there is one. */
static int one_piece(void) {
    if (now.next >= now.count) return 0;
    int64_t from = now.next, to = from + now.size < now.count ? from + now.size : now.count;
    work piece = now.piece;
    const void *job = now.job;
    now.next = to;
    now.running++;
    pthread_mutex_unlock(&lock);
    piece(job, from, to);
    pthread_mutex_lock(&lock);
    if (--now.running == 0 && now.next >= now.count) pthread_cond_signal(&work_done);
    return 1;
}

static void *worker(void *nothing) {
    pthread_mutex_lock(&lock);
    for (;;)
        if (!one_piece()) pthread_cond_wait(&work_there, &lock);
    return nothing;
}

static void in_child(void) {
    threads_there = 0;
    now.next = now.count = now.running = 0;
    pthread_mutex_init(&one_at_a_time, 0);
    pthread_mutex_init(&lock, 0);
    pthread_cond_init(&work_there, 0);
    pthread_cond_init(&work_done, 0);
}

/* When the library is loaded: a child of a fork during the first loop would have locks that are taken. */
static void watch_forks(void) {
    if (!watches_forks) watches_forks = !pthread_atfork(0, 0, in_child);
}

static void start_threads(void) {
    sigset_t all, before; /* signals are for the program's own threads */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_t attributes; /* blocks are kept on the stack, which is small on some systems */
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    while (watches_forks && threads_there < most_threads - 1) {
        pthread_t thread;
        if (pthread_create(&thread, &attributes, worker, 0)) break;
        pthread_detach(thread);
        threads_there++;
    }
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, 0);
}

/* `least`: how many of `count` are worth a thread. */
static void in_pieces(work piece, const void *job, int64_t count, int64_t least) {
    if (most_threads < 2 || count < 2 * least || pthread_mutex_trylock(&one_at_a_time)) {
        piece(job, 0, count);
        return;
    }
    if (threads_there < most_threads - 1) start_threads();
    int64_t parts = (int64_t)most_threads * PIECES_EACH;
    if (parts > count / least) parts = count / least;
    pthread_mutex_lock(&lock);
    now.piece = piece;
    now.job = job;
    now.size = (count + parts - 1) / parts;
    now.next = now.running = 0;
    now.count = count;
    pthread_cond_broadcast(&work_there);
    while (one_piece()) {
    }
    while (now.running) pthread_cond_wait(&work_done, &lock);
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&one_at_a_time);
}

#endif

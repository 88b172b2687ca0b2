/* Records what a process does to the files below RECORDED, in the order in which it was done, by
   standing before the C library (LD_PRELOAD). Every record is one line of words between tabs, and
   after a write as many bytes as it says. RECORDED_LOG is where they go; after RECORDED_LAST records
   the process is killed. Lengths of paths are those that tests need. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
static const char *below, *log_path;
static int log_handle = -1;
static long left = -1;

__attribute__((constructor)) static void begin(void) {
    below = getenv("RECORDED");
    log_path = getenv("RECORDED_LOG");
    if (getenv("RECORDED_LAST")) left = atol(getenv("RECORDED_LAST"));
    if (log_path) log_handle = syscall(SYS_openat, AT_FDCWD, log_path,
                                       O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

/* The absolute path of a name that is relative to a folder, or of an open file (name NULL). */
static void absolute(int folder, const char *name, char *into) {
    char link[64];
    ssize_t length = 0;
    into[0] = 0;
    if (name && name[0] == '/') { snprintf(into, PATH_MAX, "%s", name); return; }
    if (folder == AT_FDCWD) {
        if (!getcwd(into, PATH_MAX)) return;
        length = strlen(into);
    } else {
        snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
        length = readlink(link, into, PATH_MAX - 1);
        if (length < 0) { into[0] = 0; return; }
        into[length] = 0;
    }
    if (name) snprintf(into + length, PATH_MAX - length, "/%s", name);
}

static int ours(const char *path) {
    size_t length = below ? strlen(below) : 0;
    return length && log_handle >= 0 && !strncmp(path, below, length)
        && (path[length] == '/' || !path[length]);
}

static void put(const void *bytes, size_t count) {
    const char *from = bytes;
    while (count) {
        ssize_t written = syscall(SYS_write, log_handle, from, count);
        if (written <= 0) abort();
        from += written;
        count -= written;
    }
}

static void record(const char *word, const char *first, const char *second,
                   long long where, const void *bytes, size_t count) {
    char line[3 * PATH_MAX];
    int length = snprintf(line, sizeof line, "%s\t%s\t%s\t%lld\t%zu\n", word, first, second,
                          where, bytes ? count : 0);
    put(line, length);
    if (bytes) put(bytes, count);
    if (left > 0 && !--left) kill(getpid(), SIGKILL);
}

#define REAL(name) \
    static __typeof__(&name) real; \
    if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
#define BEGIN pthread_mutex_lock(&one)
#define END pthread_mutex_unlock(&one)

static int opened(int folder, const char *name, int flags, mode_t mode) {
    char path[PATH_MAX];
    struct stat before;
    absolute(folder, name, path);
    if (!ours(path)) return syscall(SYS_openat, folder, name, flags, mode);
    BEGIN;
    int there = !stat(path, &before);
    int handle = syscall(SYS_openat, folder, name, flags, mode);
    if (handle >= 0) {
        if ((flags & O_CREAT) && !there) record("create", path, "", 0, NULL, 0);
        if ((flags & O_TRUNC) && there) record("truncate", path, "", 0, NULL, 0);
        if ((flags & O_TMPFILE) == O_TMPFILE) record("unknown", "O_TMPFILE", path, 0, NULL, 0);
    }
    END;
    return handle;
}

#define OPEN(name) int name(const char *path, int flags, ...) { \
    va_list rest; va_start(rest, flags); mode_t mode = va_arg(rest, int); va_end(rest); \
    return opened(AT_FDCWD, path, flags, mode); }
#define OPENAT(name) int name(int folder, const char *path, int flags, ...) { \
    va_list rest; va_start(rest, flags); mode_t mode = va_arg(rest, int); va_end(rest); \
    return opened(folder, path, flags, mode); }
OPEN(open) OPEN(open64) OPENAT(openat) OPENAT(openat64)
int creat(const char *path, mode_t mode) { return opened(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *path, mode_t mode) { return creat(path, mode); }

/* Streams of the C library call its inner open, which nobody can stand before. */
#define STREAM(name) FILE *name(const char *path, const char *mode) { \
    char whole[PATH_MAX]; REAL(name); absolute(AT_FDCWD, path, whole); \
    if (ours(whole) && strpbrk(mode, "wa+")) { BEGIN; record("unknown", #name, whole, 0, NULL, 0); END; } \
    return real(path, mode); }
STREAM(fopen) STREAM(fopen64)

static void wrote(int handle, const char *path, const void *bytes, ssize_t count, off_t where) {
    if (where < 0) where = lseek(handle, 0, SEEK_CUR) - count;
    record("write", path, "", where, bytes, count);
}

ssize_t write(int handle, const void *bytes, size_t count) {
    char path[PATH_MAX];
    absolute(handle, NULL, path);
    if (handle == log_handle || !ours(path)) return syscall(SYS_write, handle, bytes, count);
    BEGIN;
    ssize_t done = syscall(SYS_write, handle, bytes, count);
    if (done > 0) wrote(handle, path, bytes, done, -1);
    END;
    return done;
}

#define PWRITE(name) ssize_t name(int handle, const void *bytes, size_t count, off_t where) { \
    char path[PATH_MAX]; REAL(name); absolute(handle, NULL, path); \
    if (!ours(path)) return real(handle, bytes, count, where); \
    BEGIN; ssize_t done = real(handle, bytes, count, where); \
    if (done > 0) wrote(handle, path, bytes, done, where); \
    END; return done; }
PWRITE(pwrite) PWRITE(pwrite64)

#define TRUNCATE(name) int name(int handle, off_t size) { \
    char path[PATH_MAX]; REAL(name); absolute(handle, NULL, path); int done = real(handle, size); \
    if (!done && ours(path)) { BEGIN; record("truncate", path, "", size, NULL, 0); END; } return done; }
TRUNCATE(ftruncate) TRUNCATE(ftruncate64)

#define SYNC(name) int name(int handle) { \
    char path[PATH_MAX]; REAL(name); absolute(handle, NULL, path); int done = real(handle); \
    if (!done && ours(path)) { BEGIN; record("sync", path, "", 0, NULL, 0); END; } return done; }
SYNC(fsync) SYNC(fdatasync)

static int renamed(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
    char first[PATH_MAX], second[PATH_MAX];
    absolute(from_folder, from, first);
    absolute(to_folder, to, second);
    BEGIN;
    int done = syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
    if (!done && (ours(first) || ours(second))) record(flags ? "unknown" : "rename", first, second, 0, NULL, 0);
    END;
    return done;
}
int rename(const char *from, const char *to) { return renamed(AT_FDCWD, from, AT_FDCWD, to, 0); }
int renameat(int a, const char *from, int b, const char *to) { return renamed(a, from, b, to, 0); }
int renameat2(int a, const char *from, int b, const char *to, unsigned flags) { return renamed(a, from, b, to, flags); }

static int at(const char *word, int folder, const char *name, int done) {
    char path[PATH_MAX];
    absolute(folder, name, path);
    if (!done && ours(path)) record(word, path, "", 0, NULL, 0);
    END;
    return done;
}
int unlink(const char *name) { BEGIN; return at("unlink", AT_FDCWD, name, syscall(SYS_unlinkat, AT_FDCWD, name, 0)); }
int rmdir(const char *name) { BEGIN; return at("unlink", AT_FDCWD, name, syscall(SYS_unlinkat, AT_FDCWD, name, AT_REMOVEDIR)); }
int unlinkat(int folder, const char *name, int flags) { BEGIN; return at("unlink", folder, name, syscall(SYS_unlinkat, folder, name, flags)); }
int mkdir(const char *name, mode_t mode) { BEGIN; return at("mkdir", AT_FDCWD, name, syscall(SYS_mkdirat, AT_FDCWD, name, mode)); }
int mkdirat(int folder, const char *name, mode_t mode) { BEGIN; return at("mkdir", folder, name, syscall(SYS_mkdirat, folder, name, mode)); }

/* Ways to change a folder that the workspace does not take: seen all the same, so that a test can
   say that its picture of the disk is not whole. */
static int unknown(const char *word, int folder, const char *name) {
    char path[PATH_MAX];
    absolute(folder, name, path);
    if (ours(path)) { BEGIN; record("unknown", word, path, 0, NULL, 0); END; }
    return 0;
}
int link(const char *from, const char *to) { REAL(link); unknown("link", AT_FDCWD, to); return real(from, to); }
int linkat(int a, const char *from, int b, const char *to, int flags) { REAL(linkat); unknown("link", b, to); return real(a, from, b, to, flags); }
int symlink(const char *from, const char *to) { REAL(symlink); unknown("symlink", AT_FDCWD, to); return real(from, to); }
int truncate(const char *name, off_t size) { REAL(truncate); unknown("truncate", AT_FDCWD, name); return real(name, size); }
ssize_t writev(int handle, const struct iovec *parts, int count) { REAL(writev); unknown("writev", handle, NULL); return real(handle, parts, count); }
ssize_t pwritev(int handle, const struct iovec *parts, int count, off_t where) { REAL(pwritev); unknown("pwritev", handle, NULL); return real(handle, parts, count, where); }
ssize_t sendfile(int to, int from, off_t *where, size_t count) { REAL(sendfile); unknown("sendfile", to, NULL); return real(to, from, where, count); }
ssize_t copy_file_range(int from, off_t *a, int to, off_t *b, size_t count, unsigned flags) { REAL(copy_file_range); unknown("copy_file_range", to, NULL); return real(from, a, to, b, count, flags); }

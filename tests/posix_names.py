"""Names of the standard library that Windows does not have, or that do something else there."""

MODULES = frozenset(
    "_posixsubprocess crypt fcntl grp nis posix pty pwd readline resource spwd syslog termios tty".split()
)

# With a capital letter or not; what has no entry here is there, and does the same. `os.kill(p, 0)` asks whether there
# is a process, on Windows it presses Ctrl-C; a link needs a privilege there.
METHODS = frozenset("symlink_to hardlink_to send_signal".split())
OS = frozenset(
    """kill symlink readlink
    chown chroot confstr ctermid environb fchdir fchmod fchown fdatasync fork forkpty fpathconf fstatvfs fwalk
    get_blocking getegid getenvb geteuid getgid getgrouplist getgroups getloadavg getpgid getpgrp getpriority getresgid
    getresuid getsid getuid getxattr initgroups killpg lchflags lchmod lchown listxattr lockf login_tty major makedev
    memfd_create minor mkfifo mknod nice openpty pathconf pidfd_open pipe2 posix_fadvise posix_fallocate posix_spawn
    posix_spawnp pread preadv ptsname pwrite pwritev readv register_at_fork sched_getaffinity sched_setaffinity
    sched_yield sendfile set_blocking setegid seteuid setgid setgroups setpgid setpgrp setpriority setsid setuid
    spawnlp spawnvp splice statvfs sync sysconf tcgetpgrp tcsetpgrp ttyname uname unshare wait wait3 wait4 waitid
    writev O_ASYNC O_CLOEXEC O_DIRECT O_DIRECTORY O_DSYNC O_NOATIME O_NOCTTY O_NOFOLLOW O_NONBLOCK O_PATH O_SYNC
    O_TMPFILE EX_OK WNOHANG WUNTRACED WCOREDUMP WEXITSTATUS WIFEXITED WIFSIGNALED WIFSTOPPED WSTOPSIG
    WTERMSIG""".split()
)
SIGNAL = frozenset(
    """ITIMER_PROF ITIMER_REAL ITIMER_VIRTUAL ItimerError SIGALRM SIGBUS SIGCHLD SIGCONT SIGHUP SIGIO SIGKILL SIGPIPE
    SIGPROF SIGQUIT SIGSTOP SIGSYS SIGTRAP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGUSR1 SIGUSR2 SIGVTALRM SIGWINCH SIGXCPU
    SIGXFSZ SIG_BLOCK SIG_SETMASK SIG_UNBLOCK alarm getitimer pause pthread_kill pthread_sigmask setitimer
    siginterrupt sigpending sigtimedwait sigwait""".split()
)
SELECT = frozenset("epoll kqueue poll select PIPE_BUF POLLIN POLLOUT EPOLLIN".split())  # of pipes, at least
TIME = frozenset("clock_getres clock_gettime clock_gettime_ns clock_settime tzset".split())
SOCKET = frozenset("AF_UNIX socketpair".split())
NAMES = {"os": OS, "signal": SIGNAL, "select": SELECT, "time": TIME, "socket": SOCKET}
LIBRARIES = ("libc.so", "libm.so")
PLACES = ("/proc/", "/dev/", "/sys/", "/tmp/", "/etc/", "/usr/", "/bin/")

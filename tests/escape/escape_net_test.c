/* Nobody to talk to: neither the network, nor a process of the host by any kind of socket or queue. */
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "../unit/runner.h"
#include "escape.h"

START_TEST(no_socket_can_be_made)
{
    static const escape_row rows[] = {
        { "socket_inet", NOTHING, DIES(SIGSYS), "seccomp" },
        { "socket_inet", SECCOMP, FAILS(EMFILE), "rlimit: no descriptor beyond its own" },
        { "socket_inet", SECCOMP | RLIMIT, SUCCEEDS, "control: and see below where it can connect to" },
        { "socket_inet6", NOTHING, DIES(SIGSYS), "seccomp" },
        { "socket_inet6", SECCOMP | RLIMIT, SUCCEEDS, "control" },
        { "socket_unix", NOTHING, DIES(SIGSYS), "seccomp" },
        { "socket_unix", SECCOMP | RLIMIT, SUCCEEDS, "control" },
        { "socket_netlink", NOTHING, DIES(SIGSYS), "seccomp" },
        { "socket_netlink", SECCOMP | RLIMIT, SUCCEEDS, "control: it speaks with its own network namespace" },
        { "socket_packet", NOTHING, DIES(SIGSYS), "seccomp" },
        { "socket_packet", SECCOMP, FAILS(EPERM), "no capability over the network namespace" },
        { "socket_packet", ALL, SUCCEEDS, "control" },
        { "socket_pair", NOTHING, DIES(SIGSYS), "seccomp" },
        { "socket_pair", SECCOMP, FAILS(EMFILE), "rlimit" },
        { "socket_pair", ALL, SUCCEEDS, "control" },
    };

    ESCAPE_CHECK(rows, getpid());
}
END_TEST

static int listen_tcp(uint16_t *port)
{
    struct sockaddr_in at = { .sin_family = AF_INET };
    socklen_t length = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
    ck_assert_int_eq(listen(fd, 8), 0);
    ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&at, &length), 0);
    *port = ntohs(at.sin_port);
    return fd;
}

START_TEST(a_server_on_the_hosts_loopback_cannot_be_reached)
{
    static const escape_row rows[] = {
        { "connect_tcp", NOTHING, DIES(SIGSYS), "seccomp" },
        { "connect_tcp", SECCOMP | RLIMIT, FAILS(EACCES), "landlock" },
        { "connect_tcp", SECCOMP | RLIMIT | LANDLOCK, FAILS(ENETUNREACH), "netns: no interface is up" },
        { "connect_tcp", SECCOMP | RLIMIT | NETNS, FAILS(EACCES), "landlock alone" },
        { "connect_tcp", SECCOMP | RLIMIT | LANDLOCK | NETNS, SUCCEEDS, "control" },
        { "listen_tcp", NOTHING, DIES(SIGSYS), "seccomp" },
        { "listen_tcp", SECCOMP | RLIMIT, FAILS(EACCES), "landlock" },
        { "listen_tcp", ALL, SUCCEEDS, "control" },
        { "send_udp", NOTHING, DIES(SIGSYS), "seccomp" },
        { "send_udp", SECCOMP | RLIMIT, FAILS(ENETUNREACH), "netns: landlock does not know datagrams" },
        { "send_udp", ALL, SUCCEEDS, "control" },
    };
    uint16_t port;
    int server = listen_tcp(&port);

    ESCAPE_CHECK(rows, port);
    close(server);
}
END_TEST

START_TEST(an_abstract_socket_of_the_host_cannot_be_reached)
{
    static const escape_row rows[] = {
        { "connect_abstract", NOTHING, DIES(SIGSYS), "seccomp" },
        { "connect_abstract", SECCOMP | RLIMIT, FAILS(ECONNREFUSED), "netns: its names are others" },
        { "connect_abstract", SECCOMP | RLIMIT | NETNS, FAILS(EPERM), "landlock: scoped" },
        { "connect_abstract", SECCOMP | RLIMIT | NETNS | LANDLOCK, SUCCEEDS, "control" },
    };
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int n = snprintf(at.sun_path + 1, sizeof at.sun_path - 1, "cloche-escape-%d", (int)getpid());
    socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);

    ck_assert_int_eq(bind(fd, (struct sockaddr *)&at, length), 0);
    ck_assert_int_eq(listen(fd, 8), 0);
    ESCAPE_CHECK(rows, getpid());
    close(fd);
}
END_TEST

START_TEST(shared_memory_and_queues_of_the_host_cannot_be_reached)
{
    static const escape_row rows[] = {
        { "shm_of_host", NOTHING, DIES(SIGSYS), "seccomp" },
        { "shm_of_host", SECCOMP, FAILS(ENOENT), "netns: its own System V objects" },
        { "shm_of_host", SECCOMP | NETNS, SUCCEEDS, "control: readable by everybody" },
        { "shm_new", NOTHING, DIES(SIGSYS), "seccomp" },
        { "shm_new", SECCOMP, SUCCEEDS, "control" },
        { "msg_new", NOTHING, DIES(SIGSYS), "seccomp" },
        { "msg_new", SECCOMP, SUCCEEDS, "control" },
    };
    int id = shmget((key_t)getpid(), 4096, IPC_CREAT | 0666);

    ck_assert_int_ge(id, 0);
    ESCAPE_CHECK(rows, getpid());
    shmctl(id, IPC_RMID, NULL);
}
END_TEST

START_TEST(no_descriptor_travels_over_its_own_socket)
{
    static const escape_row rows[] = {
        { "sendmsg_fd", NOTHING, DIES(SIGSYS), "seccomp" },
        { "sendmsg_fd", SECCOMP, SUCCEEDS, "control" },
        { "recvmsg_fd", NOTHING, DIES(SIGSYS), "seccomp" },
        { "recvmsg_fd", SECCOMP, FAILS(EAGAIN), "control: not refused, nothing has come" },
    };

    ESCAPE_CHECK(rows, getpid());
}
END_TEST

TEST_MAIN("escape/net", no_socket_can_be_made, a_server_on_the_hosts_loopback_cannot_be_reached,
          an_abstract_socket_of_the_host_cannot_be_reached, shared_memory_and_queues_of_the_host_cannot_be_reached,
          no_descriptor_travels_over_its_own_socket)

/* A new thread has the signal mask of the one that makes it. */
#include "port/thread_start.h"

#include <pthread.h>
#include <signal.h>

int thread_start(size_t stack_bytes, void *(*run)(void *context), void *context) {
        pthread_attr_t attributes;
        pthread_t thread;
        sigset_t all, before;

        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        pthread_attr_init(&attributes);
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        if (stack_bytes)
                pthread_attr_setstacksize(&attributes, stack_bytes);
        int code = pthread_create(&thread, &attributes, run, context);
        pthread_attr_destroy(&attributes);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        return code;
}

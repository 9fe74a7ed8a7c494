#include "core/sandbox.h"

static void insert_after(cl_job_list *list, cl_job *job, cl_job *previous)
{
    cl_job *next = previous != NULL ? previous->queue_next : list->first;

    job->queue_previous = previous;
    job->queue_next = next;
    if (previous != NULL)
        previous->queue_next = job;
    else
        list->first = job;
    if (next != NULL)
        next->queue_previous = job;
    else
        list->last = job;
    list->count++;
    job->is_listed = true;
}

void cl_job_list_add(cl_job_list *list, cl_job *job)
{
    insert_after(list, job, list->last);
}

/* New timers are mostly the latest: looked for from the end. */
void cl_job_list_add_by_due(cl_job_list *list, cl_job *job)
{
    cl_job *previous = list->last;

    while (previous != NULL && previous->due_ns > job->due_ns)
        previous = previous->queue_previous;
    insert_after(list, job, previous);
}

void cl_job_list_remove(cl_job_list *list, cl_job *job)
{
    if (job->queue_previous != NULL)
        job->queue_previous->queue_next = job->queue_next;
    else
        list->first = job->queue_next;
    if (job->queue_next != NULL)
        job->queue_next->queue_previous = job->queue_previous;
    else
        list->last = job->queue_previous;
    job->queue_next = job->queue_previous = NULL;
    list->count--;
    job->is_listed = false;
}

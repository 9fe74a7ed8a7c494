/* command.h - the commands of the program
 *
 * A command reads its own arguments (argv[0] is its name) and answers an exit status: the run's own code where a run
 * decides it, else one of <sysexits.h>: 64 misuse of the command line, 66 input that cannot be read, 70 the host
 * failed, 74 output that cannot be written, 75 busy.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

int cmd_run(int argc, char **argv);
int cmd_batch(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_repl(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_bench(int argc, char **argv);

#endif

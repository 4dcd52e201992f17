/* The program's entry: installs the log and hands over to the subcommands. */
#include "cmd/command.h"
#include "cmd/log_writer.h"

int main(int argc, char **argv) {
        log_writer_install(stderr);
        int code = command_main(&program_berth, argc, argv);
        log_writer_flush();
        return code;
}

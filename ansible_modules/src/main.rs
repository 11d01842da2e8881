//! The program behind the modules of `pharos.platform`: one request on standard input or in a file, one line of JSON out.

use std::process::ExitCode;

use pharos_modules::command_line;

fn main() -> ExitCode {
    pharos_modules::fault::silence();
    command_line::main(std::env::args_os().skip(1).collect())
}

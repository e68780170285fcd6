// Package cobratools serves commands of a cobra application to MCP clients. One more command makes it a server:
//
//	func main() {
//		root := &cobra.Command{Use: "notes", Short: "Keep notes", Version: "1.0.0"}
//		root.AddCommand(newList(), newAdd(), newDelete()) // as before
//		root.AddCommand(cobratools.Command(
//			cobratools.AllowJSON("list --output=json", mcptool.ReadOnly(true)),
//			cobratools.Allow("add", mcptool.Destructive(false)),
//		))
//		if err := root.Execute(); err != nil {
//			os.Exit(1)
//		}
//	}
//
// A client starts the program with the argument mcp: "notes mcp", or "notes --config=team.yaml mcp". To serve over HTTP,
// or together with other tools, use [Tools]. The package is a separate module because it depends on cobra. Its name is
// not cobra, so that a file can import both.
//
// # Commands
//
// Only commands that [Allow] or [AllowJSON] names are tools, so a reviewer finds them in one place. The command "config
// view" is the tool config_view, and the root has its own name. The commands that cobra adds, hidden and deprecated
// commands, and the command that serves cannot be tools. All mistakes are reported at the start. The description of a
// tool consists of Long, or else Short, and Example, at most 2000 bytes. The title is the path of the command, with the
// title of its group.
//
// # Arguments
//
// Each flag is an argument with its name, including the persistent flags of parents. Numbers, booleans, lists and maps
// have these types in the schema, and any other flag is a string. Hidden and deprecated flags and the flags of [Omit] are
// not arguments. Flags with a value in Allow, and flags that are set when the server starts, such as config in "notes
// --config=team.yaml mcp", are not arguments either: they have this value in all calls. The application also defines rules
// and values:
//
//   - MarkFlagRequired makes an argument required. MarkFlagsRequiredTogether becomes dependentRequired.
//     MarkFlagsMutuallyExclusive and MarkFlagsOneRequired are described, and the command enforces them.
//   - The values of cobra.FixedCompletions become an enum if its directive includes ShellCompDirectiveNoFileComp, and
//     otherwise examples. Other completion functions are not called.
//   - Defaults are only described: a flag without an argument is not on the command line.
//
// Functions in Args cannot be inspected, so positional arguments are those that [Positional] declares, or else those that
// Use names, in lowercase: "copy SOURCE [TARGET]" has a required argument source and an optional target; "add NAME
// [NAME...]" has a list name. If a flag has this name, the argument is name_arg. If a word has another form, such as "TYPE|NAME", there is one list args. Without
// words in Use there are only arguments if there are ValidArgs; a single argument or list takes only these values.
//
// # Calls
//
// Each call runs the program again, in a new process: "notes list --output=json --tag=work -- first". So a command may
// call os.Exit, write to os.Stdout, panic and change global variables, calls may run concurrently, and a cancelled call
// ends even if the command ignores its context. None of this would work in the process of the server, even with a new
// command tree for each call. The price is the start of the program for each call.
//
// No shell is involved. The value of a flag is in the same word as the name, and all positional arguments follow "--", so
// a value is never read as a flag; a command that needs arguments before "--" cannot be used. Standard input is empty. The command inherits the environment ([Env]) and the working
// directory of the server. After the timeout, and when the client cancels the call or disconnects, the process and its
// process group are killed, without a signal that it could handle. Processes that a command leaves in its group are
// killed when it exits. On systems without process groups, such as Windows, only the process itself is killed. If the
// server itself is killed, running commands continue.
//
// An allowed command can do with its arguments whatever it can do in a terminal, with the permissions of the server. So
// review flags that name files, commands or addresses.
//
// # Results
//
// The result is the standard output, as text or, with AllowJSON, as structured content, and then standard error, if any.
// If the exit status is not zero, the result is an error and also has the status. The usage that cobra prints with an
// error is removed. The output is bounded; see [MaxOutputBytes].
package cobratools

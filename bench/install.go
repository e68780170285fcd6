package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/mcptool-go/mcptool/bench/internal/install"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

// installCmd is bench install.
type installCmd struct {
	Client string `arg:"" help:"claude-desktop, claude-code, vscode, cursor, gemini-cli, codex, goose, or mcp-json for any other." predictor:"client"`
	targetArgument
	Name    string   `help:"The name of the server in the configuration; by default derived from the TARGET."`
	Env     []string `help:"Set a variable for the command; may be repeated. KEY alone makes Codex pass on its own variable." placeholder:"KEY=VALUE" sep:"none"`
	Header  []string `help:"Send a header with every HTTP request; may be repeated." placeholder:"'NAME: VALUE'" sep:"none" short:"H"`
	Dir     string   `name:"cwd" help:"Start the command in this directory, if the client supports that." placeholder:"DIR" predictor:"dir"`
	Scope   string   `help:"The configuration to change: user or project (the current directory). The default is user, if the client has one." placeholder:"SCOPE" predictor:"scope"`
	File    string   `help:"Change this file instead of the client's own." placeholder:"FILE" predictor:"file"`
	Print   bool     `help:"Print the entry, and read no file."`
	Write   bool     `help:"Write the file; by default only the difference is shown." short:"w"`
	Replace bool     `help:"Replace an existing entry of that name."`
	Remove  bool     `help:"Remove the entry."`
	JSON    bool     `help:"Print the change as JSON."`
}

// Help adds details to the short help in the command list.
func (*installCmd) Help() string {
	return `The file is changed at one place, and the rest of it stays. Before, a copy is made beside it (FILE.bak).
What you do not name of an entry stays: a timeout, and as long as it is of the same server, its env and headers.
The TOML of Codex and the YAML of Goose only get new entries. Arguments of the command that begin with ./ or ../,
or that exist and have a slash or an extension, are made absolute, also behind = as in -db=./x.db. Nothing is written without --write.`
}

// Run shows the change, or applies it with --write.
func (i *installCmd) Run(con *console) error {
	if i.parsed.client != "" { // its values come from this environment and may be secrets
		return usageError("install takes a URL or a command, and not %s; the entry can be copied from the file that bench list %s: names", i.parsed.word, i.parsed.client)
	}
	m, err := install.ThisMachine()
	if err != nil {
		return err
	}
	r := install.Request{
		Client: i.Client, Scope: install.Scope(i.Scope), File: i.File, Name: i.Name,
		Server: install.Server{Command: i.parsed.command, URL: i.parsed.url, Env: i.Env, Headers: i.Header, Dir: i.Dir},
		Remove: i.Remove, Replace: i.Replace, Write: i.Write,
	}
	if i.Print {
		return i.print(con, m, r)
	}
	change, err := install.Do(m, r)
	if err != nil {
		return err
	}
	if i.JSON {
		err = printJSON(con.out, change)
	} else {
		err = con.print(installText(change), diffColors)
	}
	if err == nil && change.Conflict {
		return noError("there is another %s in %s; --replace replaces it, --name gives this one another name", change.Name, change.File)
	}
	return err
}

// print prints the entry to copy. Notes go to stderr, so that stdout is valid JSON.
func (i *installCmd) print(con *console, m install.Machine, r install.Request) error {
	if i.Remove || i.Write {
		return usageError("--print changes nothing; leave --write and --remove away")
	}
	text, notes, err := install.Print(m, r)
	if err != nil {
		return err
	}
	if _, err := con.out.Write(terminal.JSON(text)); err != nil {
		return err
	}
	_, err = io.WriteString(con.err, noteText(notes))
	return err
}

// installText describes a change.
func installText(c *install.Change) string {
	var b strings.Builder
	done := map[install.Action][2]string{
		install.Add:     {"would be added to", "is added to"},
		install.Replace: {"would be replaced in", "is replaced in"},
		install.Remove:  {"would be removed from", "is removed from"},
	}[c.Action]
	switch {
	case c.Action == install.Nothing && c.Entry == nil:
		fmt.Fprintf(&b, "there is no %s in %s\n", c.Name, c.File)
	case c.Action == install.Nothing:
		fmt.Fprintf(&b, "%s is in %s already, as it should be\n", c.Name, c.File)
	case c.Written:
		fmt.Fprintf(&b, "%s %s %s\n", c.Name, done[1], c.File)
	default:
		fmt.Fprintf(&b, "%s %s %s:\n\n%s\n", c.Name, done[0], c.File, strings.ReplaceAll(c.Diff, "\r\n", "\n"))
	}
	b.WriteString(noteText(c.Notes))
	switch {
	case c.Written && c.Backup != "":
		fmt.Fprintf(&b, "backup of the old file: %s\n", c.Backup)
		fallthrough
	case c.Written:
		if c.Then != "" {
			fmt.Fprintf(&b, "now %s\n", c.Then)
		}
	case c.Action != install.Nothing && !c.Conflict:
		b.WriteString("nothing is written yet; --write does it\n")
	}
	return b.String()
}

func noteText(notes []string) string {
	var b strings.Builder
	for _, note := range notes {
		fmt.Fprintf(&b, "note: %s\n", terminal.OneLine(note))
	}
	return b.String()
}

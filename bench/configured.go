package main

import (
	"os"
	"strings"

	"github.com/posener/complete"

	"github.com/mcptool-go/mcptool/bench/internal/install"
	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

// configured returns the server that word, CLIENT:NAME, names in the configuration of a client. Without a name, it returns
// a target that only bench list accepts.
func configured(word string) (target parsedTarget, ok bool, err error) {
	client, name, ok := install.Reference(word)
	if !ok || name == "" {
		return parsedTarget{client: client, word: word}, ok, nil
	}
	m, err := install.ThisMachine()
	if err != nil {
		return parsedTarget{}, true, err
	}
	s, err := install.Lookup(m, client, name)
	return parsedTarget{command: s.Command, url: s.URL, env: s.Env, header: s.Headers, dir: s.Dir, client: client, word: word}, true, err
}

// listConfigured lists the servers in the configuration of a client.
func (l *listCmd) listConfigured(con *console) error {
	m, err := install.ThisMachine()
	if err != nil {
		return err
	}
	all, err := install.List(m, l.parsed.client)
	if err != nil {
		return err
	}
	type server struct {
		Name    string `json:"name"`
		Server  string `json:"server"` // the command or the URL, without secrets
		File    string `json:"file"`
		Problem string `json:"problem,omitempty"`
	}
	rows := [][]string{{"NAME", "SERVER", "FILE", "PROBLEM"}}
	servers := make([]server, len(all))
	for i := range all {
		c := &all[i]
		servers[i] = server{c.Name, client.Target{Command: c.Server.Command, URL: c.Server.URL}.String(), c.File, c.Problem}
		rows = append(rows, []string{terminal.OneLine(c.Name), terminal.OneLine(servers[i].Server), terminal.OneLine(c.File), terminal.OneLine(c.Problem)})
	}
	if l.JSON {
		return printJSON(con.out, servers)
	}
	return con.print(terminal.Fit(withoutEmptyColumn(rows), con.width, nil), tableColors)
}

// configuredTargets returns CLIENT:NAME for the completion of a target: the clients, and the names of the one that is typed.
func configuredTargets(a complete.Args) (words []string) {
	prefix, _, named := strings.Cut(a.Last, ":")
	if !named {
		for _, name := range install.Prefixes() {
			words = append(words, name+":")
		}
		return words
	}
	name, _, ok := install.Reference(a.Last)
	m, err := install.ThisMachine()
	if !ok || err != nil || os.Getenv("COMP_TYPE") != "" { // bash, which would write the word behind the colon
		return nil
	}
	all, _ := install.List(m, name) // an unreadable file has no names to complete
	for i := range all {
		words = append(words, prefix+":"+all[i].Name)
	}
	return words
}

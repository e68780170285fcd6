package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mcptool-go/mcptool/bench/internal/modelview"
	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

// asCmd is bench as.
type asCmd struct {
	Client string `arg:"" help:"claude-code, claude-desktop, codex, cursor, vscode, gemini-cli, chatgpt, or all." predictor:"model-client"`
	target
	Name  string `help:"The name of the server in the configuration of the client; the default is its own name." placeholder:"NAME"`
	Fail  bool   `help:"Exit with 1 if the model lacks a tool or an argument."`
	Read  bool   `help:"Also call the tools that are annotated as read-only, as bench lint --read does, and show what the model lacks of their results."`
	Serve bool   `help:"Serve the command over stdio as the model of the client sees it."`
	HTTP  string `name:"http" help:"Serve the URL over HTTP at this address as the model of the client sees it." placeholder:"ADDR"`
	JSON  bool   `help:"Print the tools for the model and the changes as JSON."`
}

// Help adds details to the short help in the command list.
func (*asCmd) Help() string {
	return `Shows what a client makes of a server for its model: tools that it leaves out, names that it rewrites, texts that it cuts,
keywords of schemas that it removes. No client is run: the rules are data, each with its source and the day on which it was read.
With --serve or --http, bench stands before the server, and rewrites the lists and results of other clients in the same way.`
}

// maxShown is the maximum number of tools in the table; JSON has all of them.
const maxShown = 20

// Run shows or serves what the model sees.
func (a *asCmd) Run(ctx context.Context, con *console) error {
	if err := a.checkSubject("as", "client", a.Client); err != nil {
		return err
	}
	chosen, err := clientsNamed(a.Client)
	if err != nil {
		return err
	}
	if a.Serve || a.HTTP != "" {
		if len(chosen) > 1 || a.Serve && a.HTTP != "" || a.JSON || a.Fail || a.Read {
			return usageError("--serve and --http are for one client, alone")
		}
		return a.serve(ctx, con, chosen[0])
	}
	views, head, err := a.views(ctx, con, chosen)
	if err != nil {
		return err
	}
	switch {
	case a.JSON && len(views) == 1:
		err = printJSON(con.out, views[0])
	case a.JSON:
		err = printJSON(con.out, views)
	case len(views) == 1:
		err = con.print(viewText(head, views[0], con.width), asColors)
	default:
		err = con.print(viewsText(head, views, con.width), asColors)
	}
	if err != nil || !a.Fail {
		return err
	}
	var lacking []string
	for _, v := range views {
		if n := v.Count(modelview.Lost); n > 0 {
			lacking = append(lacking, fmt.Sprintf("%s %d", v.Client.Name, n))
		}
	}
	if lacking != nil {
		return noError("tools and arguments that models lack: %s", strings.Join(lacking, ", "))
	}
	return nil
}

// clientsNamed returns the client with a name, or all.
func clientsNamed(name string) (chosen []*modelview.Client, err error) {
	for _, known := range modelview.Clients() {
		if c, _ := modelview.Named(known); name == known || name == "all" {
			chosen = append(chosen, c)
		}
	}
	if chosen != nil {
		return chosen, nil
	}
	_, nearest := modelview.Named(name)
	if nearest != "" {
		nearest = fmt.Sprintf("did you mean %s? ", nearest)
	}
	return nil, usageError("unknown client %q; %suse %s or all", name, nearest, strings.Join(modelview.Clients(), ", "))
}

// views lists the tools of the server and returns what each client shows its model. Clients that do not support the negotiated
// revision get the list for their revision.
func (a *asCmd) views(ctx context.Context, con *console, chosen []*modelview.Client) (views []*modelview.View, head string, err error) {
	c, all, err := a.listFrom(ctx, con, client.Options{})
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = c.Close() }() // errors on close do not matter
	con.noteFaults(c)
	listing := modelview.Listing{
		Server: cmp.Or(a.Name, c.Server().Name), Title: cmp.Or(a.Name, c.Server().Title), Instructions: c.Server().Instructions,
		Tools: entriesOf(all.tools, client.Tool.Readable),
	}
	if first, err := c.Request(ctx, "tools/list", nil); err == nil {
		var page struct{ Tools []json.RawMessage }
		if json.Unmarshal(first, &page) == nil {
			listing.FirstPage = len(page.Tools)
		}
	}
	if a.Read {
		samples, err := callReadOnlyTools(ctx, con, c, all.tools)
		if err != nil {
			return nil, "", err
		}
		listing.Results = map[string]json.RawMessage{}
		for _, s := range samples {
			listing.Results[s.Tool] = s.Result.Raw
		}
	}
	legacy := listing
	if c.Era() == client.Modern {
		tools, err := a.legacyTools(ctx, con)
		if err != nil {
			return nil, "", err
		}
		if tools != nil {
			legacy.Tools = entriesOf(tools, client.Tool.Readable)
		}
	}
	for _, chosen := range chosen {
		seen := listing
		if chosen.Legacy {
			seen = legacy
		}
		views = append(views, chosen.Show(seen))
	}
	return views, terminal.OneLine(c.Server().Product()), nil
}

// viewText describes what one client shows its model.
func viewText(server string, v *modelview.View, width int) string {
	tools, tokens := v.Shown()
	head := fmt.Sprintf("%s as %s (%s) shows it to its model: %d of %s, about %d tokens; %s", server, v.Client.Title, v.Client.About, tools, count(len(v.Tools), "tool"), tokens, effects(v))
	rows := [][]string{{"NAME FOR THE MODEL", "TOKENS*", "ARGUMENTS", "DESCRIPTION"}}
	for _, t := range v.Tools {
		if t.Definition == nil {
			continue
		}
		if len(rows) > maxShown {
			rows = append(rows, []string{fmt.Sprintf("… and %d more", tools-maxShown)})
			break
		}
		tool := client.ReadTool(t.Definition)
		rows = append(rows, []string{terminal.OneLine(t.Shown), fmt.Sprint(t.Tokens), terminal.OneLine(signature(tool.InputSchema)), brief(tool.Description)})
	}
	text := strings.Join(terminal.Wrap(head, width), "\n") + "\n\n" + v.Text(width)
	if len(rows) > 1 {
		text += "\n" + terminal.Fit(rows, width, func(column int) bool { return column == 1 }) + modelview.TokensNote + "\n"
	}
	return text
}

// effects counts the changes of a view.
func effects(v *modelview.View) string {
	return fmt.Sprintf("%d lost, %d cut, %d changed", v.Count(modelview.Lost), v.Count(modelview.Cut), v.Count(modelview.Changed))
}

// viewsText describes in a table what several clients show their models, and what is lost.
func viewsText(server string, views []*modelview.View, width int) string {
	rows := [][]string{{"CLIENT", "TOOLS", "TOKENS*", "LOST", "CUT", "CHANGED"}}
	lost := [][]string{{"CLIENT", "LOST BECAUSE OF", "FOUND", "WHERE"}}
	for _, v := range views {
		tools, tokens := v.Shown()
		rows = append(rows, []string{v.Client.Name, fmt.Sprintf("%d of %d", tools, len(v.Tools)), fmt.Sprint(tokens), fmt.Sprint(v.Count(modelview.Lost)), fmt.Sprint(v.Count(modelview.Cut)), fmt.Sprint(v.Count(modelview.Changed))})
		for _, row := range v.Rows() {
			if row[0] == modelview.Lost.String() {
				lost = append(lost, append([]string{v.Client.Name}, row[1:]...))
			}
		}
	}
	text := server + " as clients show it to their models\n\n" + terminal.Fit(rows, width, func(column int) bool { return column > 0 }) + modelview.TokensNote + "\n"
	if len(lost) > 1 {
		text += "\n" + terminal.Fit(lost, width, nil)
	}
	return text + "\nbench as CLIENT shows what a client does, and why.\n"
}

// serve serves the target as the model of a client sees it.
func (a *asCmd) serve(ctx context.Context, con *console, c *modelview.Client) error {
	to, err := a.server()
	if err != nil {
		return err
	}
	switch {
	case a.Serve && to.URL != "":
		return usageError("--serve is for a command; a URL has --http")
	case a.HTTP != "" && to.URL == "":
		return usageError("--http is for a URL; a command has --serve")
	default:
		return through(ctx, con, to, a.HTTP, c.Filter(a.Name))
	}
}

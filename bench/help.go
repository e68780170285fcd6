package main

import (
	"bytes"
	"strings"

	"github.com/alecthomas/kong"
	kongcompletion "github.com/jotaen/kong-completion"
	"github.com/posener/complete"

	"github.com/mcptool-go/mcptool/bench/internal/install"
	"github.com/mcptool-go/mcptool/bench/internal/modelview"
)

// examples are command lines for the help of each command.
var examples = map[string]string{
	"bench": `
bench list -- go run ./examples/weather
bench call get_weather location=Lisbon https://example.com/mcp`,
	"as": `
bench as codex bin/weather
bench as all --fail -- go run ./examples/weather
bench as gemini-cli --serve -- bin/weather
bench as vscode --http 127.0.0.1:8081 https://example.com/mcp`,
	"call": `
bench call get_weather location=Lisbon month=7 bin/weather
bench call get_weather '{"location":"Lisbon"}' https://example.com/mcp
bench call get_weather @arguments.json --json -- go run ./examples/weather
bench call draw --save chart.png -- bin/plots
bench call list_orders --all -- go run ./examples/largeresults
bench call drop_table table=drafts --yes -- go run ./examples/askfirst
bench call book_seat from=Lisbon to=Porto --answer class=1 --yes -- go run ./examples/booking`,
	"check": `
bench check --update -- bin/weather
bench check --least may-break -- bin/weather
bench check --against https://example.com/mcp -- bin/weather
bench check --against bin/old bin/new`,
	"comments": `
bench comments ./examples/csv
bench comments --check ./examples/csv`,
	"dev": `
bench dev -- go run ./cmd/server
bench dev --http 127.0.0.1:8080 -- go run ./cmd/server -http {addr}
bench dev --keep-last --grace 30s -- go run ./examples/weather`,
	"docs": `
bench docs --out docs -- bin/weather
bench docs --markdown - --call none https://example.com/mcp
bench docs --check --out docs -- bin/weather`,
	"find": `
bench find 'weather in Lisbon next month' -- bin/weather
bench find --cases testdata/found.tsv https://example.com/mcp`,
	"import": `
bench import openapi petstore.yaml --out petstore
bench import openapi petstore.yaml --out petstore --dry-run --select tag=pets,tag=store
bench import openapi petstore.yaml --out petstore --base-url https://example.com/v1 --fields list_pets=id,name`,
	"install": `
bench install vscode --env LOG=debug -- ./bin/weather
bench install claude-code --scope project --write https://example.com/mcp
bench install cursor --remove --write --name weather`,
	"lint": `
bench lint -- bin/weather
bench lint --profile openai --fail-on warning --budget 2000 -- bin/weather`,
	"list": `
bench list -- bin/weather
bench list claude:
bench list claude:weather
bench list --header 'Authorization: Bearer TOKEN' https://example.com/mcp`,
	"prompt": `
bench prompt review lang=go bin/notes`,
	"read": `
bench read note://7 bin/notes
bench read note://logo --save logo.png bin/notes
bench read note://7 --watch https://example.com/mcp`,
	"record": `
bench record --out session.txt --secret API_KEY -- bin/weather
bench record --out session.txt --http 127.0.0.1:8081 https://example.com/mcp`,
	"replay": `
bench replay session.txt -- bin/weather
bench replay session.txt --ignore result.structuredContent.time https://example.com/mcp
bench replay session.txt --update -- bin/weather`,
	"run": `
bench run --tool get_weather -c 1,16,64 -d 2s -- bin/weather
bench run --rate 500/s --html run.html https://example.com/mcp
bench run --server old=bin/old --server new=bin/new`,
	"ui": `
bench ui -- go run ./examples/weather
bench ui https://example.com/mcp --header 'Authorization: Bearer TOKEN'`,
	"completion": `
bench completion bash`,
}

// newParser returns the parser of the command line. exit is called instead of os.Exit.
func newParser(all *commands, con *console, exit func(int)) (*kong.Kong, error) {
	parser, err := kong.New(all,
		kong.Name("bench"),
		kong.Description("Looks at MCP servers. A TARGET is a URL, the path of a program, a server in the configuration of a client such as claude:weather, or a command and its arguments behind --, at the end of the line."),
		kong.Vars{"version": version()},
		kong.Help(helpText),
		kong.ValueFormatter(withDefault),
		kong.Writers(con.out, con.err),
		kong.Exit(exit),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
	if err != nil {
		return nil, err
	}
	for _, node := range append(parser.Model.Children, parser.Model.Node) {
		lines := strings.ReplaceAll(strings.TrimSpace(examples[node.Name]), "\n", "\n  ")
		node.Detail = strings.TrimSpace(node.Detail + "\n\nExamples:\n\n  " + lines)
	}
	return parser, nil
}

// completeLine answers the request of a shell to complete a command line, if the environment has one.
func completeLine(parser *kong.Kong) {
	kongcompletion.Register(parser, kongcompletion.WithPredictors(map[string]complete.Predictor{
		"file":   complete.PredictFiles("*"),
		"target": complete.PredictOr(complete.PredictFiles("*"), complete.PredictFunc(configuredTargets)),
		"dir":    complete.PredictDirs("*"),
		"format": complete.PredictSet("openapi"),
		"client": complete.PredictSet(install.Clients()...),
		"scope":  complete.PredictSet(string(install.User), string(install.Project)),

		"model-client": complete.PredictSet(append(modelview.Clients(), "all")...),
	}))
}

// withDefault adds the default to the help of a flag.
func withDefault(value *kong.Value) string {
	help := kong.DefaultHelpValueFormatter(value)
	if value.HasDefault {
		help += " The default is " + value.Default + "."
	}
	return help
}

// helpText prints help. Its usage line shows how to write a target.
func helpText(options kong.HelpOptions, ctx *kong.Context) error {
	var text bytes.Buffer
	stdout := ctx.Stdout
	ctx.Stdout = &text
	err := kong.DefaultHelpPrinter(options, ctx)
	ctx.Stdout = stdout
	if err != nil {
		return err
	}
	usage := "[flags] URL | PROGRAM | CLIENT:NAME | -- COMMAND ARGS…"
	if node := ctx.Selected(); node != nil && node.Name == "install" {
		usage = "[flags] URL | PROGRAM | -- COMMAND ARGS…"
	}
	_, err = strings.NewReplacer(" [<target> [<arguments> ...]] [flags]", " [<arguments> ...] "+usage, "[<query> [<target> [<words> ...]]] [flags]", "QUERY | --cases FILE "+usage, "[<program>] [flags]", "[flags] PACKAGE | PROGRAM | -- go run PACKAGE ARGS…", "[<target>] [flags]", usage).WriteString(stdout, text.String())
	return err
}

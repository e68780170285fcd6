package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/measure/strictjson"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

// callCmd is bench call.
type callCmd struct {
	Tool string `arg:"" help:"The tool to call."`
	target
	Arguments []string `arg:"" optional:"" help:"Its arguments: NAME=VALUE, repeated, where VALUE is JSON or, for a string, a text; or a JSON object, @FILE, or - for stdin. On a terminal, missing arguments are asked for."`
	JSON      bool     `help:"Print the whole result as JSON."`
	All       bool     `help:"Ask a server with the extension results for the complete result, however large it is. Other servers ignore this."`
	Task      bool     `help:"Let the call run as a task, if the server and the tool support this, and wait for its result."`
	answerFlags
	saveFlag
}

// setTarget sets the target, as [targetArgument.setTarget] does.
func (c *callCmd) setTarget(command string, parsed parsedTarget) error {
	c.Arguments = c.takePath(c.Arguments, parsed)
	if err := c.target.setTarget(command+" "+terminal.OneLine(c.Tool), parsed); err != nil {
		return err
	}
	return c.checkSubject(command, "tool", c.Tool)
}

// Run calls the tool and shows the result.
func (c *callCmd) Run(ctx context.Context, con *console) error {
	if _, err := c.server(); err != nil {
		return err
	}
	if err := c.check(con, c.JSON); err != nil {
		return err
	}
	args, pairs, err := readArguments(con, c.Arguments)
	if err != nil {
		return err
	}
	d, err := c.dialogue(con)
	if err != nil {
		return err
	}
	options := client.Options{Notify: con.note, Elicit: d.elicit, Tasks: c.Task}
	if c.All {
		options.CallMeta = wholeResults
	}
	server, err := c.dial(ctx, con, options)
	if err != nil {
		return err
	}
	defer func() { _ = server.Close() }() // errors on close do not matter
	tools, err := server.Tools(ctx)
	if err != nil {
		return err
	}
	tool, err := toolNamed(tools, c.Tool)
	if err != nil {
		return c.orHidden(err)
	}
	if pairs != nil {
		if args, err = json.Marshal(typedArguments(tool.InputSchema, pairs)); err != nil {
			return err
		}
	}
	if args, err = d.complete(ctx, tool, args); err != nil {
		return err
	}
	defer con.noteFaults(server)
	result, err := server.Call(ctx, c.Tool, args)
	if err = d.end(err); err != nil {
		return err
	}
	return c.show(con, result)
}

// show prints and saves the result.
func (c *callCmd) show(con *console, result *client.Result) (err error) {
	text := resultText(result)
	switch {
	case c.JSON:
		err = printJSON(con.out, result.Raw)
	case c.Save == "-":
		_, err = io.WriteString(con.err, text)
	default:
		_, err = io.WriteString(con.out, text)
	}
	con.noteCut(result)
	if files := filesOf(result); err == nil && c.Save != "" && (len(files) > 0 || !result.IsError) {
		err = c.write(con, files)
	}
	switch {
	case err != nil || !result.IsError:
		return err
	case c.parsed.command != nil && !c.Verbose && strings.Contains(text, "internal error"): // by convention, the reason is in the log only
		return noError("%s returned an error; with --verbose, bench shows the log of the server", c.Tool)
	default:
		return noError("%s returned an error", c.Tool)
	}
}

// readArguments reads the arguments of a tool or a prompt from words of the command line: a JSON object, or NAME=VALUE
// pairs; nil if there are none.
func readArguments(con *console, words []string) (object json.RawMessage, pairs map[string]string, err error) {
	i := slices.IndexFunc(words, func(word string) bool { return !isPair(word) })
	switch {
	case len(words) == 0:
	case i < 0:
		pairs, err = namedValues(words)
	case len(words) == 1:
		object, err = readObject(con, words[0])
	default:
		err = usageError("%q is not of the form NAME=VALUE; a JSON object, @FILE or - stands alone", words[i])
	}
	return object, pairs, err
}

// namedValues parses words of the form NAME=VALUE.
func namedValues(words []string) (map[string]string, error) {
	values := map[string]string{}
	for _, word := range words {
		name, value, ok := strings.Cut(word, "=")
		if _, twice := values[name]; !ok || name == "" || twice {
			return nil, usageError("%q is not of the form NAME=VALUE, or is there twice", word)
		}
		values[name] = value
	}
	return values, nil
}

// isPair reports whether a word of the command line is NAME=VALUE.
func isPair(word string) bool {
	return strings.Contains(word, "=") && !strings.HasPrefix(word, "{") && !strings.HasPrefix(word, "@")
}

// typedArguments converts pairs to arguments, see [form.value].
func typedArguments(schema json.RawMessage, pairs map[string]string) map[string]json.RawMessage {
	form := newForm(schema)
	args := map[string]json.RawMessage{}
	for name, text := range pairs {
		args[name] = form.value(form.named(name), text)
	}
	return args
}

// readObject reads a JSON object from the command line, from @FILE, or from stdin for -; nil for "".
func readObject(con *console, word string) (json.RawMessage, error) {
	var (
		from = "the arguments"
		raw  = []byte(word)
		err  error
	)
	switch {
	case word == "":
		return nil, nil
	case word == "-":
		from = "stdin"
		raw, err = io.ReadAll(io.LimitReader(con.in, maxFile+1))
	case strings.HasPrefix(word, "@"):
		from = word[1:]
		raw, err = readFile(from)
	}
	if err != nil {
		return nil, usageError("%w", err)
	}
	if len(raw) > maxFile {
		return nil, usageError("%s: more than %d MiB of arguments", from, maxFile>>20)
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(raw, &object); err != nil || object == nil {
		why := "null is none"
		if err != nil {
			why = err.Error()
		}
		return nil, usageError("%s: arguments are NAME=VALUE, or a JSON object, as {\"name\":\"value\"}; %s", from, strings.TrimPrefix(why, "json: "))
	}
	return bytes.TrimSpace(raw), nil
}

// note shows a progress or log notification.
func (c *console) note(method string, params json.RawMessage) {
	var p struct {
		Progress float64         `json:"progress"`
		Total    *float64        `json:"total"`
		Message  string          `json:"message"`
		Level    string          `json:"level"`
		Logger   string          `json:"logger"`
		Data     json.RawMessage `json:"data"`
	}
	if err := strictjson.Decode(params, &p); err != nil {
		return // malformed notification
	}
	var line string
	switch method {
	case "notifications/progress":
		line = fmt.Sprintf("progress %v", p.Progress)
		if p.Total != nil {
			line += fmt.Sprintf(" of %v", *p.Total)
		}
		if p.Message != "" {
			line += ": " + p.Message
		}
	case "notifications/message":
		line = strings.TrimSpace(p.Level+" "+p.Logger) + ": " + bare(p.Data)
	default:
		return
	}
	_, _ = io.WriteString(c.err, terminal.OneLine(line)+"\n") // best effort
}

// errCancelled means that the user declined the call.
var errCancelled = errors.New("cancelled; nothing was called")

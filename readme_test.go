package house_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/compat"
)

// block is one fenced block of README.md.
type block struct {
	line   int
	source string // the path in the HTML comment on the line above, if any
	lang   string
	text   string
}

// TestReadmeGo holds every Go block of the README against the file it is cut
// from, so that what a reader copies is what the tests of that file ran.
func TestReadmeGo(t *testing.T) {
	seen := 0
	for _, b := range readmeBlocks(t) {
		if b.lang != "go" {
			continue
		}
		seen++
		if b.source == "" {
			t.Errorf("README.md:%d: a Go block needs a comment above it that names its file: <!-- examples/x/main.go -->", b.line)
			continue
		}
		file, err := os.ReadFile(b.source)
		if err != nil {
			t.Errorf("README.md:%d: %v", b.line, err)
			continue
		}
		if !strings.Contains(string(file), b.text) {
			t.Errorf("README.md:%d: this block is not in %s, word for word:\n%s", b.line, b.source, b.text)
		}
	}
	if seen == 0 {
		t.Error("README.md shows no Go code")
	}
}

// TestReadmeJSON parses every JSON block: client configurations are pasted as
// they are.
func TestReadmeJSON(t *testing.T) {
	for _, b := range readmeBlocks(t) {
		if b.lang == "json" && !json.Valid([]byte(b.text)) {
			t.Errorf("README.md:%d: this block is not JSON:\n%s", b.line, b.text)
		}
	}
}

// TestReadmeSmallest keeps the first program of the README as small as it
// promises: 20 lines that are not blank.
func TestReadmeSmallest(t *testing.T) {
	const promise = 20
	for _, b := range readmeBlocks(t) {
		if b.lang != "go" {
			continue
		}
		lines := 0
		for line := range strings.Lines(b.text) {
			if strings.TrimSpace(line) != "" {
				lines++
			}
		}
		if lines > promise {
			t.Errorf("README.md:%d: the first server has %d lines that are not blank, want at most %d", b.line, lines, promise)
		}
		if file, _ := os.ReadFile(b.source); string(file) != b.text {
			t.Errorf("README.md:%d: the first server is not the whole of %s", b.line, b.source)
		}
		return
	}
	t.Error("README.md shows no Go code")
}

// TestReadmeSafe keeps the safe server of the README as small as it promises: 10 lines more than the first.
func TestReadmeSafe(t *testing.T) {
	const promise = 10
	lines := map[string]int{}
	for _, b := range readmeBlocks(t) {
		file, err := os.ReadFile(b.source)
		if err != nil || string(file) != b.text {
			continue // not a whole file
		}
		for line := range strings.Lines(b.text) {
			if strings.TrimSpace(line) != "" {
				lines[b.source]++
			}
		}
	}
	tiny, safe := lines["examples/calculator/main.go"], lines["examples/safe/main.go"]
	if tiny == 0 || safe == 0 || safe > tiny+promise {
		t.Errorf("the first server has %d lines, and the safe one %d, want at most %d more", tiny, safe, promise)
	}
}

// TestReadmeRun runs the command that the README promises shows a real tool
// call, and looks for the result it prints there.
func TestReadmeRun(t *testing.T) {
	var command, want string
	for _, b := range readmeBlocks(t) {
		switch b.source {
		case "the run command":
			command = strings.TrimSpace(b.text)
		case "what it prints":
			want = strings.TrimSpace(b.text)
		}
	}
	if command == "" || want == "" {
		t.Fatal("README.md lacks the run command, or what it prints")
	}
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh on this machine to run the README's command with")
	}
	cmd := exec.CommandContext(t.Context(), shell, "-c", command)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", command, err, stderr.String())
	}
	if got := strings.TrimSpace(string(out)); got != want {
		t.Errorf("%s printed\n%s\nREADME.md promises\n%s", command, got, want)
	}
}

var number = regexp.MustCompile(`[0-9.]+`)

// TestReadmeBalanced runs the command that the README promises shows three
// instances behind nginx, and holds what it prints against what stands there,
// but for the numbers. If one answer is wrong, the command fails.
func TestReadmeBalanced(t *testing.T) {
	if testing.Short() {
		t.Skip("starts three servers and nginx")
	}
	var command, want string
	for _, b := range readmeBlocks(t) {
		switch b.source {
		case "the load balancer command":
			command = strings.TrimSpace(b.text)
		case "what the load balancer shows":
			want = b.text
		}
	}
	if command == "" || want == "" {
		t.Fatal("README.md lacks the command, or what it prints")
	}
	words := strings.Fields(command)
	cmd := exec.CommandContext(t.Context(), words[0], words[1:]...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if strings.Contains(stderr.String(), "nginx is not installed") {
		t.Skip(stderr.String())
	}
	if err != nil {
		t.Fatalf("%s: %v\n%s", command, err, stderr.String())
	}
	if shape(string(out)) != shape(want) {
		t.Errorf("%s printed\n%s\nREADME.md promises\n%s", command, out, want)
	}
}

// shape is text without its numbers, and how wide they are.
func shape(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.Join(strings.Fields(number.ReplaceAllString(line, "0")), " ")
	}
	return strings.Join(lines, "\n")
}

var asked = regexp.MustCompile("asks for the weather in `(.*)` reads")

// TestReadmeMistakes holds the answer to bad arguments that the README shows
// against what the server says to them.
func TestReadmeMistakes(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	arguments := asked.FindSubmatch(readme)
	if arguments == nil {
		t.Fatal("README.md shows no bad arguments")
	}
	cmd := exec.CommandContext(t.Context(), "go", "run", "./examples/weather")
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_weather","arguments":` + string(arguments[1]) +
		`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}` + "\n")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var response struct {
		Result struct {
			Content []struct {
				Text string `json:"text"`
			} `json:"content"`
		} `json:"result"`
	}
	if err := json.Unmarshal(out, &response); err != nil || len(response.Result.Content) != 1 {
		t.Fatalf("the server answered %s", out)
	}
	for _, b := range readmeBlocks(t) {
		if b.source == "what a model reads" {
			if got := response.Result.Content[0].Text; got != strings.TrimSpace(b.text) {
				t.Errorf("the server says\n%s\nREADME.md:%d promises\n%s", got, b.line, b.text)
			}
			return
		}
	}
	t.Error("README.md does not show what a model reads")
}

// TestReadmeBreaks holds what the README says of a change against what is found of it.
func TestReadmeBreaks(t *testing.T) {
	raw, err := os.ReadFile("examples/weather/testdata/tools.snapshot.json")
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(raw), `"maxLength": 80`, `"maxLength": 40`, 1)
	changed = regexp.MustCompile(`"celsius",\s*"fahrenheit"`).ReplaceAllString(changed, `"celsius"`)
	was, err := compat.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	is, err := compat.Parse([]byte(changed))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range readmeBlocks(t) {
		if b.source == "what a change breaks" {
			if got := compat.Report(compat.Compare(was, is), compat.MayBreak); got != b.text {
				t.Errorf("found is\n%s\nREADME.md:%d promises\n%s", got, b.line, b.text)
			}
			return
		}
	}
	t.Error("README.md does not show what a change breaks")
}

var comment = regexp.MustCompile(`^<!-- (.*) -->$`)

func readmeBlocks(t *testing.T) []block {
	t.Helper()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var (
		blocks []block
		open   *block
		source string
	)
	for i, line := range strings.Split(string(readme), "\n") {
		lang, fence := strings.CutPrefix(line, "```")
		switch {
		case open == nil && fence:
			open = &block{line: i + 1, source: source, lang: lang}
		case open != nil && fence:
			blocks = append(blocks, *open)
			open = nil
		case open != nil:
			open.text += line + "\n"
		}
		source = ""
		if m := comment.FindStringSubmatch(line); m != nil {
			source = m[1]
		}
	}
	return blocks
}

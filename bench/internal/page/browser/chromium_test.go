package browser_test

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience is how long a test waits for something to appear before it fails. The machine may be busy, and the race detector slows
// a result of 50 MB.
const patience = 90 * time.Second

// A chromium is a running browser, driven over a pipe by the DevTools protocol.
type chromium struct {
	in      io.Writer
	cmd     *exec.Cmd
	profile string

	mu      sync.Mutex
	last    int
	pending map[int]chan reply
	tabs    map[string]*tab // by session
	err     error           // why it ended
}

// A reply is the answer to a command.
type reply struct {
	Result json.RawMessage
	Error  *struct{ Message string }
}

// running is the browser of all tests, which is started for the first of them.
var running *chromium

// TestMain ends the browser after the tests.
func TestMain(m *testing.M) {
	status := m.Run()
	if running != nil {
		running.close()
	}
	os.Exit(status)
}

// startChromium returns the browser, or skips the test if there is none.
func startChromium(t *testing.T) *chromium {
	t.Helper()
	if running != nil {
		return running
	}
	program := os.Getenv("MCPTOOL_CHROMIUM")
	if program == "" {
		program = "/usr/bin/chromium"
	}
	if _, err := os.Stat(program); err != nil {
		t.Skipf("no Chromium: install it at /usr/bin/chromium with make chromium, or set MCPTOOL_CHROMIUM (%v)", err)
	}
	b, err := newChromium(program)
	if err != nil {
		t.Fatal(err)
	}
	running = b
	return b
}

// newChromium starts a browser with a new profile.
func newChromium(program string) (*chromium, error) {
	profile, err := os.MkdirTemp("", "chromium")
	if err != nil {
		return nil, err
	}
	fromTest, toChromium, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	fromChromium, toTest, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--hide-scrollbars", "--font-render-hinting=none", "--user-data-dir="+profile, "--remote-debugging-pipe", "about:blank")
	cmd.Env = append(os.Environ(), "TMPDIR="+profile)
	cmd.ExtraFiles = []*os.File{fromTest, toTest} // descriptors 3 and 4
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	_, _ = fromTest.Close(), toTest.Close() // Chromium has its own
	b := &chromium{in: toChromium, cmd: cmd, profile: profile, pending: map[int]chan reply{}, tabs: map[string]*tab{}}
	go b.read(fromChromium)
	return b, nil
}

// close ends the browser, and removes its profile.
func (b *chromium) close() {
	_, _ = b.do("", "Browser.close", nil) // it is killed otherwise
	ended := make(chan struct{})
	go func() { _ = b.cmd.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(patience):
		_ = b.cmd.Process.Kill()
		<-ended
	}
	_ = os.RemoveAll(b.profile)
}

// read distributes what Chromium sends: replies to commands, and events of tabs.
func (b *chromium) read(from io.Reader) {
	in := bufio.NewReader(from)
	for {
		line, err := in.ReadBytes(0)
		if err != nil {
			b.mu.Lock()
			b.err = errors.New("Chromium has ended")
			for _, waiting := range b.pending {
				close(waiting)
			}
			b.pending = nil
			b.mu.Unlock()
			return
		}
		var message struct {
			ID        int
			Method    string
			Params    json.RawMessage
			SessionID string `json:"sessionId"`
			reply
		}
		if json.Unmarshal(bytes.TrimSuffix(line, []byte{0}), &message) != nil {
			continue
		}
		b.mu.Lock()
		if waiting, ok := b.pending[message.ID]; ok && message.Method == "" {
			delete(b.pending, message.ID)
			waiting <- message.reply
		} else if tab := b.tabs[message.SessionID]; tab != nil {
			tab.event(message.Method, message.Params)
		}
		b.mu.Unlock()
	}
}

// do sends a command, and returns its result. session is empty for commands to the browser.
func (b *chromium) do(session, method string, params any) (json.RawMessage, error) {
	if params == nil {
		params = struct{}{}
	}
	b.mu.Lock()
	if b.err != nil {
		b.mu.Unlock()
		return nil, b.err
	}
	b.last++
	answer := make(chan reply, 1)
	b.pending[b.last] = answer
	command := map[string]any{"id": b.last, "method": method, "params": params}
	if session != "" {
		command["sessionId"] = session
	}
	text, err := json.Marshal(command)
	if err == nil {
		_, err = b.in.Write(append(text, 0))
	}
	b.mu.Unlock()
	if err != nil {
		return nil, err
	}
	select {
	case r, ok := <-answer:
		switch {
		case !ok:
			return nil, errors.New("Chromium has ended")
		case r.Error != nil:
			return nil, fmt.Errorf("%s: %s", method, r.Error.Message)
		}
		return r.Result, nil
	case <-time.After(2 * patience):
		return nil, fmt.Errorf("%s: no answer", method)
	}
}

// A tab is a page of the browser, without state of other tabs.
type tab struct {
	*testing.T

	browser *chromium
	session string

	mu       sync.Mutex
	faults   []string // exceptions, errors in the console, and violations of the policy
	requests []string // URLs
}

// open opens a URL in a new tab with a window of the size.
func (b *chromium) open(t *testing.T, url string, width, height int) *tab {
	t.Helper()
	p := &tab{T: t, browser: b}
	var made struct{ BrowserContextID, TargetID, SessionID string }
	p.command("Target.createBrowserContext", nil, &made)
	p.command("Target.createTarget", map[string]any{"url": "about:blank", "browserContextId": made.BrowserContextID, "width": width, "height": height}, &made)
	p.command("Target.attachToTarget", map[string]any{"targetId": made.TargetID, "flatten": true}, &made)
	t.Cleanup(func() {
		_, _ = b.do("", "Target.disposeBrowserContext", map[string]any{"browserContextId": made.BrowserContextID})
	})
	p.session = made.SessionID
	b.mu.Lock()
	b.tabs[p.session] = p
	b.mu.Unlock()
	for _, domain := range []string{"Page", "Runtime", "Log", "Network", "DOM"} {
		p.command(domain+".enable", nil, nil)
	}
	p.emulate(width, height, 1, false)
	p.command("Page.navigate", map[string]any{"url": url}, nil)
	p.wait("document.readyState === 'complete'")
	return p
}

// event records what must not happen.
func (p *tab) event(method string, params json.RawMessage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch method {
	case "Runtime.exceptionThrown":
		p.faults = append(p.faults, "exception: "+string(params))
	case "Runtime.consoleAPICalled":
		if bytes.Contains(params, []byte(`"type":"error"`)) {
			p.faults = append(p.faults, "console: "+string(params))
		}
	case "Log.entryAdded":
		if bytes.Contains(params, []byte(`"level":"error"`)) {
			p.faults = append(p.faults, "log: "+string(params))
		}
	case "Network.requestWillBeSent":
		var sent struct{ Request struct{ URL string } }
		_ = json.Unmarshal(params, &sent) // a request without a URL fails the test, too
		p.requests = append(p.requests, sent.Request.URL)
	}
}

// noFaults reports exceptions, errors and violations so far, and requests to other hosts.
func (p *tab) noFaults(url string) {
	p.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, fault := range p.faults {
		p.Error(fault)
	}
	for _, request := range p.requests {
		if !strings.HasPrefix(request, url) && !strings.HasPrefix(request, "data:") && !strings.HasPrefix(request, "blob:") {
			p.Errorf("request to %s", request)
		}
	}
	p.faults, p.requests = nil, nil
}

// command sends a command to the tab, and decodes the result into out.
func (p *tab) command(method string, params, out any) {
	p.Helper()
	session := p.session
	if strings.HasPrefix(method, "Target.") {
		session = ""
	}
	result, err := p.browser.do(session, method, params)
	if err == nil && out != nil {
		err = json.Unmarshal(result, out)
	}
	if err != nil {
		p.Fatal(err)
	}
}

// emulate sets the size of the window in CSS pixels, the scale, and the color scheme.
func (p *tab) emulate(width, height int, scale float64, dark bool) {
	p.Helper()
	p.command("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": scale, "mobile": width < 500}, nil)
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	p.command("Emulation.setEmulatedMedia", map[string]any{"features": []any{
		map[string]string{"name": "prefers-color-scheme", "value": scheme}, map[string]string{"name": "prefers-reduced-motion", "value": "reduce"},
	}}, nil)
}

// eval evaluates an expression, also a promise, and decodes its value into out.
func (p *tab) eval(expression string, out any) error {
	var got struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	result, err := p.browser.do(p.session, "Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true, "userGesture": true})
	if err == nil {
		err = json.Unmarshal(result, &got)
	}
	switch {
	case err != nil:
		return err
	case got.ExceptionDetails != nil:
		return fmt.Errorf("%s %s", got.ExceptionDetails.Text, got.ExceptionDetails.Exception.Description)
	case out == nil:
		return nil
	case got.Result.Value == nil:
		return fmt.Errorf("%s is undefined", expression)
	}
	return json.Unmarshal(got.Result.Value, out)
}

// run evaluates a statement that must not fail.
func (p *tab) run(statement string) {
	p.Helper()
	if err := p.eval(statement, nil); err != nil {
		p.Fatalf("%s: %v", statement, err)
	}
}

// text returns the value of an expression of type string.
func (p *tab) text(expression string) string {
	p.Helper()
	var text string
	if err := p.eval(expression, &text); err != nil {
		p.Fatalf("%s: %v", expression, err)
	}
	return text
}

// wait waits until a condition is true. An exception counts as false.
func (p *tab) wait(condition string) {
	p.Helper()
	var err error
	for start := time.Now(); time.Since(start) < patience; time.Sleep(20 * time.Millisecond) {
		var is bool
		if err = p.eval("Boolean("+condition+")", &is); err == nil && is {
			return
		}
	}
	p.fatalScreen("waited for %s (%v)", condition, err)
}

// fatalScreen fails the test with the text of the page.
func (p *tab) fatalScreen(format string, args ...any) {
	p.Helper()
	var text string
	_ = p.eval("document.body.innerText.slice(0, 4000)", &text) // of no use if the tab is gone
	p.Fatalf(format+"\nthe page shows:\n%s", append(args, text)...)
}

// press presses a key of the name, such as Tab or Enter, with modifiers: 1 Alt, 2 Control, 4 Meta, 8 Shift.
func (p *tab) press(key string, modifiers int) {
	p.Helper()
	codes := map[string]int{"Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "ArrowUp": 38, "ArrowDown": 40}
	down := map[string]any{"type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": codes[key], "modifiers": modifiers}
	switch {
	case key == "Enter":
		down["text"] = "\r"
	case key == " ":
		down["text"], down["code"] = " ", "Space"
	case len(key) == 1:
		down["text"] = key
	}
	p.command("Input.dispatchKeyEvent", down, nil)
	p.command("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key, "code": down["code"], "windowsVirtualKeyCode": codes[key], "modifiers": modifiers}, nil)
}

// insert types a text into the control that has the focus.
func (p *tab) insert(text string) {
	p.Helper()
	p.command("Input.insertText", map[string]any{"text": text}, nil)
}

// screenshot returns a picture of the window.
func (p *tab) screenshot() []byte {
	p.Helper()
	var got struct{ Data string }
	p.command("Page.captureScreenshot", map[string]any{"format": "png"}, &got)
	picture, err := base64.StdEncoding.DecodeString(got.Data)
	if err != nil {
		p.Fatal(err)
	}
	return picture
}

package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/integrations/jwtauth/jwtauthtest"
	"github.com/mcptool-go/mcptool/internal/lab/testbed"
	"github.com/mcptool-go/mcptool/internal/testing/syncbuffer"
)

// patience limits each wait, with a margin for busy machines.
const patience = 30 * time.Second

// serveKey is the environment variable that makes the test binary the helpdesk.
const serveKey = "MCPTOOL_NEWUSER_SERVE"

func TestMain(m *testing.M) {
	if os.Getenv(serveKey) != "" {
		main()
		return
	}
	flag.Parse()
	os.Exit(m.Run())
}

// process is the process of the helpdesk, which a test may replace by another one at the same address.
type process struct {
	issuer *jwtauthtest.Issuer
	dir    string
	addr   string // "" until the first start
	log    logLines

	instance *testbed.Instance
	users    []*user // all that have connected
}

// start starts the helpdesk, with more flags.
func (p *process) start(t *testing.T, flags ...string) {
	t.Helper()
	addr := p.addr
	if addr == "" {
		addr = "127.0.0.1:0"
	}
	instance, err := testbed.Start(context.WithoutCancel(t.Context()), testbed.Command{
		Program: os.Args[0],
		Args:    append([]string{"-addr", addr, "-issuer", p.issuer.URL, "-dir", p.dir}, flags...),
		Env:     append(os.Environ(), serveKey+"=1"),
		Stderr:  &p.log,
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, &p.log)
	}
	p.instance, p.addr = instance, instance.Addr
}

// stop sends SIGTERM, and waits for the end of the process.
func (p *process) stop(t *testing.T) {
	t.Helper()
	if err := p.instance.Stop(); err != nil {
		t.Fatalf("the process after SIGTERM: %v\n%s", err, &p.log)
	}
}

// url is the address for clients.
func (p *process) url() string { return "http://" + p.addr + "/mcp" }

// token returns an access token of a person in an organization, or in none.
func (p *process) token(person, organization string) string {
	claims := map[string]any{"sub": person, "aud": p.url()}
	if organization != "" {
		claims["org_id"] = organization
	}
	return p.issuer.Token(claims)
}

// audited returns the records of the audit log.
func (p *process) audited(t *testing.T) (records []map[string]any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(p.dir, "audit.log"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		records = append(records, decode(t, line))
	}
	return records
}

func decode(t *testing.T, line string) (record map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(line), &record); err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	return record
}

// logLines keeps the log of all processes.
type logLines struct{ syncbuffer.Buffer }

// find waits for a record with the message, and returns the first one.
func (l *logLines) find(t *testing.T, message string) map[string]any {
	t.Helper()
	msg := fmt.Sprintf("%q:%q", "msg", message)
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) { // a file has no signal
		for line := range strings.Lines(l.String()) {
			if strings.Contains(line, msg) && strings.HasSuffix(line, "}\n") {
				return decode(t, line)
			}
		}
	}
	t.Fatalf("the log has no record %q:\n%s", message, l)
	return nil
}

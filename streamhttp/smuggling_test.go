package streamhttp_test

import (
	"bytes"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

var statusLine = regexp.MustCompile(`HTTP/1\.1 (\d{3}) `)

// statuses writes text to a new connection, waits a second, and returns the statuses of all responses.
func (m *memory) statuses(text string) string {
	conn := m.raw("")
	var answers bytes.Buffer
	read, written := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(&answers, conn)
	}()
	go func() {
		defer close(written)
		_, _ = io.WriteString(conn, text) // a server that refuses the request does not read all of it
	}()
	time.Sleep(time.Second)
	conn.Close()
	<-read
	<-written
	var all []string
	for _, match := range statusLine.FindAllSubmatch(answers.Bytes(), -1) {
		all = append(all, string(match[1]))
	}
	return strings.Join(all, " ")
}

// TestSmuggling: an ambiguous request is refused, and no part of a body or header is treated as a request.
func TestSmuggling(t *testing.T) {
	t.Parallel()
	const line, host = "POST /mcp HTTP/1.1\r\n", "Host: 127.0.0.1\r\nContent-Type: application/json\r\n"
	list := modern("1", "tools/list", "")
	length := "Content-Length: " + strconv.Itoa(len(list)) + "\r\n"
	const version, method = "Mcp-Protocol-Version: 2026-07-28\r\n", "Mcp-Method: tools/list\r\n"
	modernHead := version + method
	whole := line + host + modernHead + length + "\r\n" + list
	chunked := strconv.FormatInt(int64(len(list)), 16) + "\r\n" + list + "\r\n0\r\n\r\n"
	tests := []struct {
		name, text, want string
	}{
		{"valid request", whole, "200"},
		{"two valid requests", whole + whole, "200 200"},
		{"in chunks", line + host + modernHead + "Transfer-Encoding: chunked\r\n\r\n" + chunked, "200"},

		{"two lengths", line + host + modernHead + length + "Content-Length: 5\r\n\r\n" + list, "400"},
		{"two lengths in one header", line + host + modernHead + "Content-Length: 5, " + strconv.Itoa(len(list)) + "\r\n\r\n" + list, "400"},
		{"a signed length", line + host + modernHead + "Content-Length: +" + strconv.Itoa(len(list)) + "\r\n\r\n" + list, "400"},
		{"a negative length", line + host + modernHead + "Content-Length: -1\r\n\r\n" + list, "400"},
		{"a length in hex", line + host + modernHead + "Content-Length: 0x10\r\n\r\n" + list, "400"},
		{"a huge length", line + host + modernHead + "Content-Length: 99999999999999999999\r\n\r\n" + list, "400"},
		{"a length too short", line + host + modernHead + "Content-Length: " + strconv.Itoa(len(list)-10) + "\r\n\r\n" + list + "\r\n\r\n", "400 400"},
		{"a request in the body", line + host + modernHead + "Content-Length: " + strconv.Itoa(len(whole)) + "\r\n\r\n" + whole, "400"},
		{"a length and chunks: chunks count", line + host + modernHead + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked, "200"},
		{"two codings", line + host + modernHead + "Transfer-Encoding: chunked, chunked\r\n\r\n" + chunked, "501"},
		{"two codings on two lines", line + host + modernHead + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n" + chunked, "501"},
		{"another coding", line + host + modernHead + "Transfer-Encoding: xchunked\r\n\r\n" + chunked, "501"},
		{"a coding with a control character", line + host + modernHead + "Transfer-Encoding: \vchunked\r\n\r\n" + chunked, "400"},
		{"a coding before its colon", line + host + modernHead + "Transfer-Encoding : chunked\r\n" + length + "\r\n" + list, "400"},
		{"a chunk with a bad length", line + host + modernHead + "Transfer-Encoding: chunked\r\n\r\nzz\r\n" + list, "400"},
		{"a chunk with a huge length", line + host + modernHead + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n" + list, "400"},

		{"two methods", line + host + modernHead + method + length + "\r\n" + list, "400"},
		{"the method in two spellings", line + host + modernHead + "MCP-METHOD: tools/call\r\n" + length + "\r\n" + list, "400"},
		{"two versions", line + host + modernHead + version + length + "\r\n" + list, "400"},
		{"the method with a space before the colon", line + host + version + "Mcp-Method : tools/list\r\n" + length + "\r\n" + list, "400"},
		{"the method with an underscore", line + host + version + "Mcp_Method: tools/list\r\n" + length + "\r\n" + list, "400"},
		{"the method on a continued line", line + host + version + "Mcp-Method: tools/\r\n list\r\n" + length + "\r\n" + list, "400"},
		{"the method with a bare CR", line + host + version + "Mcp-Method: tools/list\rX: y\r\n" + length + "\r\n" + list, "400"},
		{"the method with a NUL", line + host + version + "Mcp-Method: tools/list\x00\r\n" + length + "\r\n" + list, "400"},
		{"an encoded line break in a name", line + host + version + "Mcp-Method: tools/call\r\nMcp-Name: =?base64?ZWNobw0KWDogeQ==?=\r\nContent-Length: " +
			strconv.Itoa(len(modern("1", "tools/call", `,"name":"echo"`))) + "\r\n\r\n" + modern("1", "tools/call", `,"name":"echo"`), "400"},
		{"two sessions", line + host + "Mcp-Session-Id: a\r\nMcp-Session-Id: b\r\n" + "Content-Length: 42\r\n\r\n" + `{"jsonrpc":"2.0","id":1,"method":"ping"}  `, "400"},
		{"two last events", "GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nMcp-Session-Id: ID\r\nLast-Event-ID: 0-0\r\nLast-Event-ID: 1-0\r\n\r\n", "400"},

		{"no host", line + "Content-Type: application/json\r\n" + modernHead + length + "\r\n" + list, "400"},
		{"two hosts", line + host + "Host: localhost\r\n" + modernHead + length + "\r\n" + list, "400"},
		{"another host in the target", "POST http://evil.example/mcp HTTP/1.1\r\n" + host + modernHead + length + "\r\n" + list, "403"},
		{"two origins", line + host + "Origin: http://localhost\r\nOrigin: http://evil.example\r\n" + modernHead + length + "\r\n" + list, "403"},
		{"header without a name", line + host + ": x\r\n" + modernHead + length + "\r\n" + list, "400"},
		{"headers too large", line + host + modernHead + "X: " + strings.Repeat("x", 2<<20) + "\r\n" + length + "\r\n" + list, "431"},
		{"many headers", line + host + modernHead + strings.Repeat("X: "+strings.Repeat("x", 1000)+"\r\n", 2000) + length + "\r\n" + list, "431"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				server := serve(t, fixtureServer(t, nil))
				text := strings.Replace(test.text, "Id: ID", "Id: "+server.begin("2025-11-25").id, 1)
				if got := server.statuses(text); got != test.want {
					t.Errorf("status %s, want %s", got, test.want)
				}
			})
		})
	}
}

// Command bare serves the tools of the measurements without a framework, as an
// experienced Go programmer would write a quick implementation: encoding/json, one
// buffered reader, one buffered writer that is flushed when no more input is buffered,
// and every call in the loop. It validates only by decoding into structs.
//
// It is the baseline for frameworks: lower costs require replacing encoding/json. It
// supports revisions 2025-06-18 and 2026-07-28.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"

	"github.com/mcptool-go/mcptool/internal/lab/peers/peer"
)

func main() {
	peer.Main(func(setup peer.Setup) error {
		s := newServer(setup.Many)
		if setup.Kept {
			s.keepList()
		}
		if setup.HTTP {
			return peer.ServeHTTP(s)
		}
		return s.serve(context.Background(), os.Stdin, os.Stdout)
	})
}

// serve answers the lines of in.
func (s *server) serve(ctx context.Context, in io.Reader, out io.Writer) error {
	reader, writer := bufio.NewReaderSize(in, 64<<10), bufio.NewWriterSize(out, 64<<10)
	for {
		line, err := readLine(reader)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if answer := s.answer(ctx, line); answer != nil {
			// The writer keeps an error, which Flush returns.
			_, _ = writer.Write(answer)
			_ = writer.WriteByte('\n')
		}
		if reader.Buffered() == 0 {
			if err := writer.Flush(); err != nil {
				return err
			}
		}
	}
}

// readLine returns the next line, valid until the next read.
func readLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, err
	}
	head := append([]byte(nil), line...)
	rest, err := r.ReadBytes('\n')
	return append(head, rest...), err
}

// ServeHTTP answers the message in the body.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	answer := s.answer(r.Context(), body)
	if answer == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(answer)
}

// answer returns the response to a message; nil for a notification.
func (s *server) answer(ctx context.Context, message []byte) []byte {
	var req request
	if err := json.Unmarshal(message, &req); err != nil {
		return marshal(response{Version: "2.0", Error: &rpcError{-32700, err.Error()}})
	}
	if req.ID == nil {
		return nil
	}
	if req.Method == "tools/list" && s.kept != nil {
		return slices.Concat([]byte(`{"jsonrpc":"2.0","id":`), req.ID, []byte(`,"result":`), s.kept, []byte("}"))
	}
	res := response{Version: "2.0", ID: req.ID}
	res.Result, res.Error = s.handle(ctx, &req)
	return marshal(res)
}

func marshal(res response) []byte {
	text, err := json.Marshal(res)
	if err != nil {
		text, _ = json.Marshal(response{Version: "2.0", ID: res.ID, Error: &rpcError{-32603, err.Error()}})
	}
	return text
}

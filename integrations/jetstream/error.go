package jetstream

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/nats-io/nats.go"
	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/mcptool-go/mcptool/task"
)

// Errors of this package, in addition to the errors of package task; test with [errors.Is].
var (
	// ErrUnavailable means that the NATS server cannot be reached or does not respond, for example because most nodes
	// of a cluster are down. If a method that stores a record returns it, the record may have been stored.
	ErrUnavailable = errors.New("the NATS server is not available")
	// ErrClosed means that the connection has been closed by [Conn.Close].
	ErrClosed = errors.New("the connection is closed")
	// ErrRecord means that a stored record was not written by this package, is incomplete, or was written by a newer
	// version of this package. Other records are not affected.
	ErrRecord = errors.New("the stored record cannot be read")
	// ErrStream means that a stream exists with an incompatible configuration, or does not exist although
	// Options.Existing is set.
	ErrStream = errors.New("the stream cannot be used")
	// ErrClock means that the clocks of this machine and of the NATS server differ by more than five minutes.
	ErrClock = errors.New("the clocks differ")
)

// JetStream API error codes without names in the client package.
const (
	codeNoPeers          natsjs.ErrorCode = 10005
	codeAccountResources natsjs.ErrorCode = 10002
	codeResources        natsjs.ErrorCode = 10023
	codeMemoryResources  natsjs.ErrorCode = 10028
	codeStorageResources natsjs.ErrorCode = 10047
	codeStoreFailed      natsjs.ErrorCode = 10077
)

// explain returns the error for callers: one of package task or of this package if it applies.
func explain(err error) error {
	var api *natsjs.APIError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &api):
		return explainAPI(api, err)
	case errors.Is(err, nats.ErrMaxPayload), errors.Is(err, natsjs.ErrStreamMessageExceedsMaximum):
		return fmt.Errorf("%w: %w", task.ErrFull, err)
	case errors.Is(err, nats.ErrReconnectBufExceeded), errors.Is(err, nats.ErrConnectionReconnecting),
		errors.Is(err, nats.ErrNoResponders), errors.Is(err, natsjs.ErrNoStreamResponse), errors.Is(err, nats.ErrDisconnected):
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	case errors.Is(err, nats.ErrConnectionClosed), errors.Is(err, nats.ErrConnectionDraining):
		return ErrClosed
	}
	return fmt.Errorf("jetstream: %w", err)
}

func explainAPI(api *natsjs.APIError, err error) error {
	switch api.ErrorCode {
	case natsjs.JSErrCodeStreamWrongLastSequence, natsjs.JSErrCodeStreamWrongLastSequenceConstant:
		return task.ErrConflict
	case natsjs.JSErrCodeMessageNotFound:
		return task.ErrNotFound
	case codeAccountResources, codeResources, codeMemoryResources, codeStorageResources, codeStoreFailed:
		return fmt.Errorf("%w: %w", task.ErrFull, err)
	default:
	}
	if api.Code == http.StatusServiceUnavailable {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return fmt.Errorf("jetstream: %w", err)
}

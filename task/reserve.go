package task

import (
	"context"

	"github.com/mcptool-go/mcptool/internal/callctx"
)

// Reserve reserves memory, in bytes, for data that a [Store] is about to read, so that many short requests for long
// records cannot use up the memory of the server. ctx is the context of the store's method. The server releases the
// memory when the request is answered. If ctx is not from a server, memory is not limited.
//
// A store can call Reserve with a negative number to release memory earlier, for example when it has decoded a record
// and does not need the encoded one any more. If Reserve returns an error, the store must not read the record, and must
// return the error, possibly wrapped. Reserve may wait, so call it without holding locks or transactions.
func Reserve(ctx context.Context, bytes int) error {
	m, ok := ctx.Value(callctx.ReserverKey{}).(callctx.Reserver)
	if !ok || bytes == 0 {
		return nil
	}
	return m.Reserve(bytes)
}

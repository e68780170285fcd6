package results

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/bytesize"
	"github.com/mcptool-go/mcptool/internal/jsonquery"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/task"
)

// keeper keeps results in a store, within limits. It is safe for concurrent use.
type keeper struct {
	store  task.Store
	limits Limits
	ttl    time.Duration

	mu     sync.Mutex
	kept   []keptResult // oldest first
	parsed []parsed     // least recently used first
}

// keptResult is a result that this process has stored.
type keptResult struct {
	handle  string
	owner   task.Owner
	bytes   int64
	expires time.Time
}

// parsed is a result in memory.
type parsed struct {
	handle string
	owner  task.Owner
	doc    *jsonquery.Document
	until  time.Time // it must then be read from the store again, where another process may have deleted it
}

const (
	storeTimeout = 10 * time.Second
	// parsedBytes is the maximum memory of parsed results.
	parsedBytes = 64 << 20
	// parsedTime is how long a parsed result is used without a look at the store.
	parsedTime = time.Minute
)

// ownerOf returns the owner of the results of a caller in the store. No caller has this tenant, so that results are not in the
// lists of tasks.
func ownerOf(ctx context.Context) task.Owner {
	info := mcptool.Caller(ctx)
	return task.Owner{Tenant: "\x00results\x00" + info.Tenant, Principal: info.Principal}
}

// save stores a result of a tool for the caller, and returns its handle.
func (k *keeper) save(ctx context.Context, tool string, doc *jsonquery.Document) (handle string, expires time.Time, err error) {
	// The caller may have canceled the call, but the tool has done its work.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	handle = tool + "-" + strings.ToLower(rand.Text())
	now := time.Now().UTC()
	r := task.Record{ID: handle, Owner: ownerOf(ctx), Tool: tool, Revision: "results", Status: task.StatusWorking, Created: now, Updated: now, TTL: k.ttl, Version: 1}
	done := r
	done.Status, done.Result = task.StatusCompleted, slices.Concat([]byte(`{"value":`), doc.JSON(0), []byte(`}`))
	expires = r.Expires()
	gone, err := k.reserve(keptResult{handle, r.Owner, int64(done.Size()), expires})
	k.drop(ctx, gone)
	if err != nil {
		return "", expires, err
	}
	for err = k.put(ctx, r, done); errors.Is(err, task.ErrFull); err = k.put(ctx, r, done) {
		oldest, ok := k.oldest(r.Owner, handle)
		if !ok {
			break
		}
		k.drop(ctx, []string{oldest})
	}
	if err != nil {
		k.drop(ctx, []string{handle})
		return "", expires, err
	}
	k.remember(parsed{handle, r.Owner, doc, now.Add(min(parsedTime, k.ttl))})
	return handle, expires, nil
}

// put stores a record and its result.
func (k *keeper) put(ctx context.Context, r, done task.Record) error {
	if err := k.store.Create(ctx, r); err != nil {
		return err
	}
	_, err := k.store.Update(ctx, done)
	if err != nil {
		_ = k.store.Delete(ctx, r.ID) // it expires otherwise
	}
	return err
}

// reserve makes room for a result, and returns the handles of the ones that it replaces, the oldest ones.
func (k *keeper) reserve(r keptResult) (gone []string, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if most := min(k.limits.Bytes, k.limits.BytesPerCaller); r.bytes > most {
		return nil, sizeError{r.bytes, most}
	}
	now := time.Now()
	remove := func(most int, mostBytes int64, of func(keptResult) bool) {
		results, bytes := 1, r.bytes
		for _, other := range k.kept {
			if of(other) {
				results, bytes = results+1, bytes+other.bytes
			}
		}
		k.kept = slices.DeleteFunc(k.kept, func(other keptResult) bool {
			if !of(other) || results <= most && bytes <= mostBytes && now.Before(other.expires) {
				return false
			}
			results, bytes = results-1, bytes-other.bytes
			gone = append(gone, other.handle)
			return true
		})
	}
	// The caller's own limits come first, so that they protect the results of others.
	remove(k.limits.ResultsPerCaller, k.limits.BytesPerCaller, func(other keptResult) bool { return other.owner == r.owner })
	remove(k.limits.Results, k.limits.Bytes, func(keptResult) bool { return true })
	k.kept = append(k.kept, r)
	return gone, nil
}

// sizeError is the error for a result that exceeds a limit alone.
type sizeError struct{ bytes, most int64 }

func (e sizeError) Error() string {
	return fmt.Sprintf("it has %s, but the limit is %s", bytesize.Text(e.bytes), bytesize.Text(e.most))
}

// oldest returns the oldest result of an owner except one.
func (k *keeper) oldest(owner task.Owner, except string) (handle string, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	i := slices.IndexFunc(k.kept, func(r keptResult) bool { return r.owner == owner && r.handle != except })
	if i < 0 {
		return "", false
	}
	return k.kept[i].handle, true
}

// drop deletes results. One that cannot be deleted expires.
func (k *keeper) drop(ctx context.Context, handles []string) {
	for _, handle := range handles {
		_ = k.delete(ctx, handle)
	}
}

// delete deletes a result.
func (k *keeper) delete(ctx context.Context, handle string) error {
	k.mu.Lock()
	k.kept = slices.DeleteFunc(k.kept, func(r keptResult) bool { return r.handle == handle })
	k.parsed = slices.DeleteFunc(k.parsed, func(p parsed) bool { return p.handle == handle })
	k.mu.Unlock()
	return k.store.Delete(ctx, handle)
}

// load returns a result of the caller. The error is [task.ErrNotFound] if there is none, also if it belongs to another caller.
func (k *keeper) load(ctx context.Context, handle string) (*jsonquery.Document, error) {
	owner := ownerOf(ctx)
	if doc := k.recall(handle, owner); doc != nil {
		return doc, nil
	}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	r, err := k.store.Get(ctx, handle)
	if err != nil {
		return nil, err
	}
	if r.Owner != owner || r.Status != task.StatusCompleted {
		return nil, task.ErrNotFound
	}
	doc, err := jsonquery.New(rawjson.Lookup(r.Result, "value"))
	if err != nil {
		return nil, err
	}
	k.remember(parsed{handle, owner, doc, time.Now().Add(min(parsedTime, time.Until(r.Expires())))})
	return doc, nil
}

// recall returns a parsed result; nil if it must be read from the store.
func (k *keeper) recall(handle string, owner task.Owner) *jsonquery.Document {
	k.mu.Lock()
	defer k.mu.Unlock()
	i := slices.IndexFunc(k.parsed, func(p parsed) bool { return p.handle == handle && p.owner == owner })
	if i < 0 || !time.Now().Before(k.parsed[i].until) {
		return nil
	}
	p := k.parsed[i]
	k.parsed = append(slices.Delete(k.parsed, i, i+1), p)
	return p.doc
}

// remember keeps a parsed result, and forgets the least recently used ones to make room.
func (k *keeper) remember(p parsed) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := time.Now()
	k.parsed = append(slices.DeleteFunc(k.parsed, func(other parsed) bool { return other.handle == p.handle || now.After(other.until) }), p)
	total := 0
	for _, other := range k.parsed {
		total += other.doc.Memory()
	}
	for len(k.parsed) > 0 && total > parsedBytes {
		total -= k.parsed[0].doc.Memory()
		k.parsed = slices.Delete(k.parsed, 0, 1)
	}
}

// forget deletes a result of the caller.
func (k *keeper) forget(ctx context.Context, handle string) error {
	if _, err := k.load(ctx, handle); err != nil {
		return err
	}
	return k.delete(ctx, handle)
}

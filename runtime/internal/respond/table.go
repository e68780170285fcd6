package respond

// Pending is a request that has not been answered.
type Pending interface {
	// Key identifies the id of the request: see envelope.Key.
	Key() string
	// Cancelled ends the request without a response. It is called at most once, without holding locks.
	Cancelled(reason string)
	// Abandoned ends the request because the session ends.
	Abandoned()
	// IsUnread reports whether the request keeps a call running because the client does not read its messages.
	IsUnread() bool
}

// Table has the requests of a session that have not been answered. A request is removed before its response is sent, so that
// the client can use the id again as soon as it has the response. The zero Table is empty. The session guards it.
type Table struct {
	byKey map[string]Pending // nil if empty
	turn  Pending            // not in byKey: see AddTurn
}

// All returns the requests by key.
func (t *Table) All() map[string]Pending {
	if t.byKey == nil {
		t.byKey = map[string]Pending{}
	}
	if p := t.turn; p != nil {
		t.turn = nil
		t.byKey[p.Key()] = p
	}
	return t.byKey
}

// Add adds a request. It reports false if an unanswered request has the id, because the client could not distinguish the
// two responses.
func (t *Table) Add(key string, p Pending) (isAdded bool) {
	all := t.All()
	if all[key] != nil {
		return false
	}
	all[key] = p
	return true
}

// AddTurn adds a request unless there are others. It is for a request that is answered in the turn of the goroutine that
// has read it, and so is rarely looked up: it is stored without its key.
func (t *Table) AddTurn(p Pending) (isAdded bool) {
	if t.turn != nil || len(t.byKey) > 0 { // a slow request may have lost its turn
		return false
	}
	t.turn = p
	return true
}

// Has reports whether the request with this key is still p.
func (t *Table) Has(key string, p Pending) bool { return t.All()[key] == p }

// Take removes the request with this key, and returns it; nil if there is none.
func (t *Table) Take(key string) Pending {
	p := t.All()[key]
	delete(t.byKey, key)
	return p
}

// TakeAll removes all requests, and returns them.
func (t *Table) TakeAll() map[string]Pending {
	all := t.All()
	t.byKey = nil
	return all
}

// Remove removes a request, and reports whether it was still there.
func (t *Table) Remove(p Pending) (was bool) {
	if t.turn == p {
		t.turn = nil
		return true
	}
	key := p.Key()
	if was = t.byKey[key] == p; was {
		delete(t.byKey, key)
	}
	return was
}

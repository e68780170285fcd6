package main

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/mcptool-go/mcptool/mcptool"
)

// account is the data of one tenant: the only way to its tickets. They are in memory.
type account struct {
	tenant string

	mu      sync.Mutex
	tickets map[int]string // titles by id
}

// title returns the title of a ticket.
func (a *account) title(id int) (title string, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	title, ok = a.tickets[id]
	return title, ok
}

// rename reports whether there is such a ticket.
func (a *account) rename(id int, title string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, ok := a.tickets[id]
	if ok {
		a.tickets[id] = title
	}
	return ok
}

// remove reports whether there was such a ticket.
func (a *account) remove(id int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, ok := a.tickets[id]
	delete(a.tickets, id)
	return ok
}

// ids returns the sorted ids.
func (a *account) ids() []int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Sorted(maps.Keys(a.tickets))
}

type accountKey struct{}

// accountOf returns the account of the call.
func accountOf(ctx context.Context) *account {
	account, _ := ctx.Value(accountKey{}).(*account) // never nil: see open
	return account
}

// accounts are the accounts by their tenants.
type accounts map[string]*account

// newAccounts returns the accounts of two organizations. Both have a ticket 1.
func newAccounts() accounts {
	return accounts{
		"acme":   {tenant: "acme", tickets: map[int]string{1: "a printer is on fire", 2: "no coffee", 4: "a broken chair", 5: "a dead lamp"}},
		"globex": {tenant: "globex", tickets: map[int]string{1: "a secret plan", 3: "no tea"}},
	}
}

// open puts the account of the caller's tenant into the context of each call.
func (a accounts) open(ctx context.Context) (context.Context, error) {
	account := a[mcptool.Caller(ctx).Tenant]
	if account == nil {
		return nil, mcptool.Errorf("your organization has no account here")
	}
	return context.WithValue(ctx, accountKey{}, account), nil
}

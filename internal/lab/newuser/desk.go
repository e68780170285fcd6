package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

// TicketIn is the variable in the URI of a ticket.
type TicketIn struct {
	_  struct{} `mcp:"name=ticket,uri=ticket://{id},title=Ticket" doc:"The title of a ticket"`
	ID int      `json:"id" jsonschema:"minimum=1"`
}

// mayRead lets a caller read and follow the tickets of its tenant.
func mayRead(ctx context.Context, in TicketIn) error {
	if _, ok := accountOf(ctx).title(in.ID); !ok {
		return mcptool.ErrResourceNotFound
	}
	return nil
}

// readTicket reads a ticket.
func readTicket(ctx context.Context, in TicketIn) (string, error) {
	title, ok := accountOf(ctx).title(in.ID)
	if !ok {
		return "", mcptool.ErrResourceNotFound
	}
	return title, nil
}

// listTickets lists the tickets of the tenant, all on one page.
func listTickets(ctx context.Context, _ string) (page []mcptool.ResourceLink, next string, err error) {
	for _, id := range accountOf(ctx).ids() {
		page = append(page, mcptool.ResourceLink{URI: ticketURI(id), Name: fmt.Sprint("ticket ", id)})
	}
	return page, "", nil
}

func ticketURI(id int) string { return fmt.Sprintf("ticket://%d", id) }

// desk has the tools.
type desk struct {
	registry *mcptool.Registry // notifies clients of changes
	report   time.Duration     // that a report takes
	export   time.Duration     // that an export takes
}

// RenameIn holds the arguments of rename_ticket.
type RenameIn struct {
	_     struct{} `mcp:"name=rename_ticket,destructive,idempotent,openWorld=false" doc:"Give a ticket another title"`
	ID    int      `json:"id" jsonschema:"minimum=1"`
	Title string   `json:"title" jsonschema:"minLength=1,maxLength=200"`
}

// rename renames a ticket of the account, and notifies the tenant.
func (d desk) rename(ctx context.Context, in RenameIn) (string, error) {
	account := accountOf(ctx)
	if !account.rename(in.ID, in.Title) {
		return "", mcptool.Errorf("there is no ticket %d", in.ID)
	}
	d.registry.ResourceUpdatedFor(account.tenant, ticketURI(in.ID))
	return "renamed", nil
}

// CloseIn holds the arguments of close_ticket. The time until its user answers does not count for the limits.
type CloseIn struct {
	_  struct{} `mcp:"name=close_ticket,destructive,openWorld=false,timeout=1s,concurrent=1" doc:"Close a ticket, when the user agrees"`
	ID int      `json:"id" jsonschema:"minimum=1"`
}

// close closes a ticket of the account.
func (d desk) close(ctx context.Context, in CloseIn) (string, error) {
	account := accountOf(ctx)
	title, ok := account.title(in.ID)
	if !ok {
		return "", mcptool.Errorf("there is no ticket %d", in.ID)
	}
	if err := mcptool.Confirm(ctx, fmt.Sprintf("Close ticket %d, %s?", in.ID, title)); err != nil {
		return "", err
	}
	account.remove(in.ID)
	d.registry.ResourceListChangedFor(account.tenant)
	return "closed", nil
}

// ReportIn holds the arguments of report.
type ReportIn struct {
	_ struct{} `mcp:"name=report,readOnly,task=optional" doc:"Count the tickets"`
}

// count counts the tickets.
func (d desk) count(ctx context.Context, _ ReportIn) (string, error) {
	mcptool.Progress(ctx, 0, 1, "counting")
	if err := work(ctx, d.report); err != nil {
		return "", err
	}
	account := accountOf(ctx)
	return fmt.Sprintf("%s has %d tickets", account.tenant, len(account.ids())), nil
}

// ExportIn holds the arguments of export_tickets.
type ExportIn struct {
	_ struct{} `mcp:"name=export_tickets,readOnly,task=required,durable" doc:"Export the tickets"`
}

// write exports the first ticket. If the process ends meanwhile, it runs again in the next one.
func (d desk) write(ctx context.Context, _ ExportIn) (string, error) {
	account := accountOf(ctx)
	first, err := mcptool.Once(ctx, "first", func(context.Context) (string, error) {
		title, _ := account.title(1)
		return title, nil
	})
	if err == nil {
		err = work(ctx, d.export)
	}
	return account.tenant + " has exported: " + first, err
}

// RefundIn holds the arguments of refund.
type RefundIn struct {
	_     struct{} `mcp:"name=refund,destructive,openWorld=false,task=required,durable" doc:"Refund an amount, when the user agrees"`
	Cents int      `json:"cents" jsonschema:"minimum=1,maximum=100000"`
}

// refund asks the user, in this or in the next process.
func (d desk) refund(ctx context.Context, in RefundIn) (string, error) {
	if err := mcptool.Confirm(ctx, fmt.Sprintf("Refund %d cents?", in.Cents)); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s has refunded %d cents", accountOf(ctx).tenant, in.Cents), nil
}

// work works for a while, or until ctx ends.
func work(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// newDesk returns the tools and the resource.
func newDesk(report, export time.Duration) (*mcptool.Registry, error) {
	d := desk{registry: new(mcptool.Registry), report: report, export: export}
	var errs []error
	add := func(tool *mcptool.Tool, err error) {
		if err == nil {
			err = d.registry.Add(tool)
		}
		errs = append(errs, err)
	}
	add(mcptool.New(d.rename))
	add(mcptool.New(d.close))
	add(mcptool.New(d.count))
	add(mcptool.New(d.write))
	add(mcptool.New(d.refund))
	ticket, err := mcptool.NewResource(readTicket, mcptool.MayRead(mayRead), mcptool.ListWith(listTickets))
	if err == nil {
		err = d.registry.Add(ticket)
	}
	return d.registry, errors.Join(append(errs, err)...)
}

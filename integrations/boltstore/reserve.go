package boltstore

import (
	"os"

	"go.etcd.io/bbolt"
)

// reserve is disk space for deletions. bbolt copies the pages changed by a transaction, even for deletions, so on a
// full disk nothing could ever be deleted. So transactions that add data must leave some pages free. Any free page
// counts, and so does the allocated part of the file after the pages in use.
type reserve struct {
	end int64 // allocated size of the file
}

const (
	// reservePages is the maximum number of pages for the deletion of one record of any size: on each level of the
	// tree, the two pages at the edges of the deleted range and a neighbor merged with each, plus the page of the
	// buckets and the list of free pages. A deletion does not increase the number of pages in use, so others can
	// follow.
	reservePages = 32
	// reserveBlock is the size of one write.
	reserveBlock = 64 << 10
	// reserveStep limits the additional amount written beyond the required one, an eighth of the file, to avoid growing
	// the file in every transaction.
	reserveStep = 1 << 20
)

// secure ensures that there is room to commit a transaction after its changes, and enough reserve left if it adds data.
// It returns the error of a full disk; the transaction must then not be committed. Pages visible to readers do not
// count as free; readers reports whether there may be any.
func (r *reserve) secure(file *os.File, tx *bbolt.Tx, batch []write, readers bool) error {
	db, txStats := tx.DB(), tx.Stats()
	stats := db.Stats()
	changed, needed, kept := pagesOf(txStats.GetNodeCount(), batch)
	free := int64(stats.FreePageN)
	if !readers {
		free += int64(stats.PendingPageN)
	}
	info, err := file.Stat()
	if err != nil {
		return err
	}
	used := tx.Size()
	r.end = min(max(r.end, used), info.Size())

	// A list of more than 500 free pages takes several consecutive pages. It is omitted if it may not fit:
	// without it bbolt reads all pages when it opens the file, and after a failed commit. It does so in its own
	// goroutine, where panics and faults are not recovered, so the list is not omitted always. See check.
	list := listPages(int64(stats.FreePageN+stats.PendingPageN) + changed)
	list = listPages(int64(stats.FreePageN+stats.PendingPageN) + changed + list) // the old list becomes free
	db.NoFreelistSync = false
	if list > 1 {
		db.NoFreelistSync = r.grow(file, used, used+(needed+kept+list)*pageSize) != nil
	}
	err = r.grow(file, used, used+(needed+kept-free)*pageSize)
	if !readers && kept == 0 && len(batch) == 1 {
		return nil // worth trying even without enough reserve
	}
	return err
}

// pagesOf returns the maximum number of tree pages that a transaction changes, the number that it needs, and the number
// to keep for later deletions. nodes is the number of tree pages it has read to change them.
func pagesOf(nodes int64, batch []write) (changed, needed, kept int64) {
	changed = 2*nodes + 8 // includes a neighbor of each, and the file's own pages
	needed = min(changed, reservePages*int64(len(batch)))
	for _, w := range batch {
		needed += w.pages()
		if int64(len(w.value)) > w.replaces {
			kept = reservePages
		}
	}
	return changed, needed, kept
}

// listPages returns the number of pages for a list of free pages.
func listPages(free int64) int64 { return (pageHeader+8*free)/pageSize + 1 }

// begin creates the reserve of a file without free pages and with used bytes in use.
func (r *reserve) begin(file *os.File, used int64) error {
	r.end = used
	return r.grow(file, used, used+reservePages*pageSize)
}

// grow appends zeros to the file up to an allocated size of at least least.
func (r *reserve) grow(file *os.File, used, least int64) error {
	if r.end >= least {
		return nil
	}
	zeros := make([]byte, reserveBlock)
	for wanted := least + min(used/8, reserveStep); r.end < wanted; {
		n, err := file.WriteAt(zeros, r.end)
		r.end += int64(n)
		switch {
		case err != nil && r.end < least:
			return err
		case err != nil:
			return file.Sync()
		}
	}
	return file.Sync() // as bbolt does when it grows the file
}

package boltstore

import (
	"os"

	"go.etcd.io/bbolt"
)

// reserve is room on the disk for deletions. bbolt copies the pages that a transaction changes, also where it deletes, so
// that on a full disk it could delete nothing, ever. So what adds to the file must leave some pages over. Any page that is
// free serves, and so does the part of the file behind the pages in use that has been written, and so has blocks on the disk.
type reserve struct {
	end int64 // the file has blocks up to here
}

const (
	// reservePages is what the deletion of one record takes at most, however large it is: on each level of the tree the two
	// pages at the edges of what is deleted and a neighbor that each is merged with, and the page of the buckets and the list
	// of free pages. A deletion leaves no more pages in use than before, so that others can follow it.
	reservePages = 32
	// reserveBlock is how much is written at one time.
	reserveBlock = 64 << 10
	// reserveStep is how much more than needed is written, so that it is not at every transaction: an eighth of the file,
	// up to this.
	reserveStep = 1 << 20
)

// secure makes sure that there is room for a transaction that has made its changes and commits next, and enough in reserve
// after it if it adds to the file. Its error is that of the disk, which is full; the transaction must not be committed then.
// Pages that readers may still see do not count as free, unless there are no readers.
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

	// A list of more than 500 free pages takes several in a run. It is left out where there may be none: without it bbolt goes
	// through all pages when it opens the file, and after a commit that failed. It does so in a goroutine of its own, where
	// nobody recovers from a panic or a fault, and so it is not left out always. See check.
	list := listPages(int64(stats.FreePageN+stats.PendingPageN) + changed)
	list = listPages(int64(stats.FreePageN+stats.PendingPageN) + changed + list) // the list of before is free, too
	db.NoFreelistSync = false
	if list > 1 {
		db.NoFreelistSync = r.grow(file, used, used+(needed+kept+list)*pageSize) != nil
	}
	err = r.grow(file, used, used+(needed+kept-free)*pageSize)
	if !readers && kept == 0 && len(batch) == 1 {
		return nil // if there was not enough in reserve, it is worth a try
	}
	return err
}

// pagesOf returns how many pages of the tree a transaction changes at most, how many it needs, and how many must be left for
// deletions after it. Nodes is how many of the tree it has read to change them.
func pagesOf(nodes int64, batch []write) (changed, needed, kept int64) {
	changed = 2*nodes + 8 // also a neighbor of each, and the pages of the file itself
	needed = min(changed, reservePages*int64(len(batch)))
	for _, w := range batch {
		needed += w.pages()
		if int64(len(w.value)) > w.replaces {
			kept = reservePages
		}
	}
	return changed, needed, kept
}

// listPages returns how many pages the list of so many free pages takes.
func listPages(free int64) int64 { return (pageHeader+8*free)/pageSize + 1 }

// begin makes the reserve of a file that has no free pages, and in which so many bytes are in use.
func (r *reserve) begin(file *os.File, used int64) error {
	r.end = used
	return r.grow(file, used, used+reservePages*pageSize)
}

// grow writes zeros where there are no pages yet, so that the file has blocks up to least at least.
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
	return file.Sync() // as bbolt does when it makes the file longer
}

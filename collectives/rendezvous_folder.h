/* rendezvous_folder.h: files by which processes exchange data at a "file:" rendezvous, and which of them are believed.
 *
 * Each file is written by one process, first under another name, so that a process that sees it sees all of it.
 *
 * Without a key, the directory must belong to this user and be writable by no other; it is then the folder. It also
 * stands for the key. Only plain files of this user are believed. With the user's key, the directory may be shared with
 * other users: the folder is then one of mode 0700 in it, whose name follows from the key, so that no other user can
 * take the name first; every file ends with a proof of its name and its bytes.
 *
 * Errors are in place->trouble.
 */
#ifndef WEFT_COLLECTIVES_RENDEZVOUS_FOLDER_H
#define WEFT_COLLECTIVES_RENDEZVOUS_FOLDER_H

#include "collectives/rendezvous.h"

typedef struct weft_folder {
    weft_meeting_place *place;
    const char *path;              /* of the directory; lent */
    char inner[64];                /* name of the folder in it; "": there is none */
    int dir;                       /* the folder's descriptor; -1: it does not exist yet */
    bool is_loose;                 /* other users may move the folder */
    bool is_made_here;             /* this process made the directory */
} weft_folder;

/* The folder is not opened yet. */
weft_folder weft_folder_at(weft_meeting_place *place, const char *path);

/* Opens the folder if it exists; process 0 creates it. To be called before every look: an earlier job of these
 * processes may just be removing the directory. WEFT_ERR_IO if it cannot be trusted or opened. */
weft_status weft_folder_look(weft_folder *f);
static inline bool weft_folder_is_there(const weft_folder *f) { return f->dir >= 0; }
void weft_folder_close(weft_folder *f);

/* These need an open folder. A name has fewer than 64 bytes. */
weft_status weft_folder_put(weft_folder *f, const char *name, const void *p, size_t bytes);
/* Whether the file exists with as many bytes, and is of this job's user or has a proof. errno is EBADMSG for one that
 * does not. */
bool weft_folder_get(const weft_folder *f, const char *name, void *p, size_t bytes);
void weft_folder_drop(const weft_folder *f, const char *name);
/* Removes the key's folder, and the directory if this process made it and no other files are in it. */
void weft_folder_remove(const weft_folder *f);

#endif

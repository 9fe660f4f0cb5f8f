/* rendezvous_folder.h: files by which processes tell each other something: where they are, and which are believed.
 *
 * Each file is written by one process, under another name first, so that who sees it sees all of it.
 *
 * The directory is this user's and nobody else may write to it, nor are files believed that are not plain ones of this
 * user's; then it is the folder, and the key. Where the user gives a key, the directory may be shared with others: then
 * the folder is one of mode 0700 in it, whose name only those find who have the key, so that nobody can take the name
 * before, and every file ends with a proof of its name and its bytes.
 *
 * What goes wrong is in place->trouble.
 */
#ifndef WEFT_COLLECTIVES_RENDEZVOUS_FOLDER_H
#define WEFT_COLLECTIVES_RENDEZVOUS_FOLDER_H

#include "collectives/rendezvous.h"

typedef struct weft_folder {
    weft_meeting_place *place;
    const char *path;              /* of the directory, lent, */
    char inner[64];                /* and of the folder in it; "": there is none */
    int dir;                       /* the folder's descriptor; -1: it is not there yet */
    bool is_loose;                 /* others may move the folder away */
    bool is_made_here;             /* this process made the directory */
} weft_folder;

/* Not there yet. */
weft_folder weft_folder_at(weft_meeting_place *place, const char *path);

/* Opens it where it is there; process 0 makes it. To be called before every look, for an earlier job of these processes
 * may just be taking the directory away. WEFT_ERR_IO where it cannot be trusted or opened. */
weft_status weft_folder_look(weft_folder *f);
static inline bool weft_folder_is_there(const weft_folder *f) { return f->dir >= 0; }
void weft_folder_close(weft_folder *f);

/* Of a folder that is there. A name has fewer than 64 bytes. */
weft_status weft_folder_put(weft_folder *f, const char *name, const void *p, size_t bytes);
/* Whether the file is there, with as many bytes, and of this job's user or with a proof. */
bool weft_folder_get(const weft_folder *f, const char *name, void *p, size_t bytes);
void weft_folder_drop(const weft_folder *f, const char *name);
/* The folder that belongs to the key, and the directory if this process made it and no files of others are in it. */
void weft_folder_remove(const weft_folder *f);

#endif

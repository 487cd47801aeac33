// What was typed and is not saved, in the browser's storage: by tree, page, language and section, one entry a window.
// It outlives a reload, a crash and a restart of the program; an entry goes when its text is saved or discarded.
// IndexedDB, because an entry is on the disk within milliseconds there: localStorage is written seconds later, and
// what was typed until then dies with the browser.

const WINDOW = crypto.randomUUID();
const key = (place, session) => [place.tree, place.page, place.language, place.section, session];
const opened = new Promise((done, failed) => {
  const asked = indexedDB.open("hexapla", 1);
  asked.onupgradeneeded = () => asked.result.createObjectStore("drafts");
  asked.onsuccess = () => done(asked.result);
  asked.onerror = () => failed(asked.error);
});
opened.catch(() => {}); // told where something is kept

// What `use` asks of the entries, once it is on the disk; requests are carried out in their order.
async function transaction(mode, use) {
  const work = (await opened).transaction("drafts", mode);
  const asked = use(work.objectStore("drafts"));
  work.commit();
  await new Promise((done, failed) => Object.assign(work, {oncomplete: done, onabort: () => failed(work.error)}));
  return asked.result;
}

// Whether the text is kept; not so where the storage is full or forbidden.
export async function keep(place, entry, session = WINDOW) {
  const {tree, page, language, section} = place;
  const kept = {...entry, tree, page, language, section, session, time: Date.now()};
  try {
    await transaction("readwrite", (drafts) => drafts.put(kept, key(place, session)));
    return true;
  } catch {
    return false;
  }
}

export async function forget(place, session = WINDOW) {
  try {
    await transaction("readwrite", (drafts) => drafts.delete(key(place, session)));
  } catch {
    // nothing is kept where the storage is forbidden
  }
}

// The entries of a tree that other windows made, the newest first:
// {page, language, section, session, text, version, source, time}.
export async function others(tree) {
  try {
    const found = await transaction("readonly", (drafts) => drafts.getAll(IDBKeyRange.bound([tree], [tree, []])));
    return found.filter(({session}) => session !== WINDOW).sort((one, other) => other.time - one.time);
  } catch {
    return [];
  }
}

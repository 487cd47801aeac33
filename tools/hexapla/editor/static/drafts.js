// What was typed and is not saved, in the browser's storage: by tree, page, language and section, one entry a window.
// It outlives a reload, a crash and a restart of the program; an entry goes when its text is saved or discarded.

const PREFIX = "hexapla draft ";
const WINDOW = crypto.randomUUID();
const name = (place, session) => PREFIX + JSON.stringify([place.tree, place.page, place.language, place.section, session]);

// Whether the text is kept; not so where the storage is full or forbidden.
export function keep(place, entry) {
  try {
    localStorage.setItem(name(place, WINDOW), JSON.stringify({...entry, time: Date.now()}));
    return true;
  } catch {
    return false;
  }
}

export function forget(place, session = WINDOW) {
  try {
    localStorage.removeItem(name(place, session));
  } catch {
    // nothing is kept where the storage is forbidden
  }
}

// The entries of other windows on a page, the newest first: {language, section, session, text, version, source, time}.
export function others(tree, page) {
  const found = [];
  try {
    for (const key of Object.keys(localStorage).filter((each) => each.startsWith(PREFIX))) {
      const [ofTree, ofPage, language, section, session] = JSON.parse(key.slice(PREFIX.length));
      if (ofTree === tree && ofPage === page && session !== WINDOW) {
        found.push({language, section, session, ...JSON.parse(localStorage.getItem(key))});
      }
    }
  } catch {
    // an entry that cannot be read is left where it is
  }
  return found.sort((one, other) => other.time - one.time);
}

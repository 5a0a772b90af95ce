// Settings that this browser keeps. A browser that keeps nothing has the defaults.

export function kept(key: string): string | null {
  try {
    return localStorage.getItem(`luzia.${key}`);
  } catch {
    return null;
  }
}

export function keep(key: string, value: string): void {
  try {
    localStorage.setItem(`luzia.${key}`, value);
  } catch {
    // It holds until the page is closed.
  }
}

export function forget(key: string): void {
  try {
    localStorage.removeItem(`luzia.${key}`);
  } catch {
    // Nothing was kept.
  }
}

/// All whose keys begin so.
export function forgetAll(prefix: string): void {
  try {
    const keys = Array.from({ length: localStorage.length }, (_, index) => localStorage.key(index) ?? '');
    for (const key of keys) if (key.startsWith(`luzia.${prefix}`)) localStorage.removeItem(key);
  } catch {
    // Nothing was kept.
  }
}

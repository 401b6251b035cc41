// What the engine's maps of keys begin with in this process. Known to nobody: keys come from elsewhere.

import { randomInt } from 'node:crypto'

/** 32 bits. */
export const HASH_SEED = randomInt(2 ** 32)

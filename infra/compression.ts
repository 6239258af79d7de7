/**
 * API Gateway compresses answers of at least this many bytes for callers that accept it. A script inworld cannot read
 * an answer of this length, so no script ever gets a compressed one: whether the virtual world unpacks them is
 * documented nowhere.
 */
export const minCompressedBytes = 16_384;

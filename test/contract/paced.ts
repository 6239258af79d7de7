/** Sends a request to a deployment, and retries a 429 after the pause that it asks for. */
export const paced = async (url: string, init: RequestInit): Promise<Response> => {
  for (;;) {
    const response = await fetch(url, init);
    if (response.status !== 429) return response;
    await response.body?.cancel();
    await new Promise((resolve) => setTimeout(resolve, 1000 * Number(response.headers.get('retry-after') ?? 1)));
  }
};

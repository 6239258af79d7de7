// Dispenser of the Store Integration Service, protocol SIS1.
//
// Put this script into one object together with the items of your store and a notecard named "dispenser" that holds
//
//     service = https://the.address.of.your.service
//     key = sis_live_...
//
// The key needs the scope dispenser:register and no other. See README.md beside this file.

string NOTECARD = "dispenser";

// Part of the address of every script on the main grid. A copy that ends up on the test grid must not take over.
string SHARD = ".agni.";

// The script refuses older requests, in seconds, so that nobody can replay a recorded one. The limit is longer than the
// 64 requests that may wait for this script take.
integer MAX_AGE = 300;

// The script registers again so often, in seconds. The service then sends the waiting deliveries.
float RENEW = 3600.0;
float RETRY = 60.0;

// The ids of past deliveries live in the object's linkset data (128 KiB, about 2,700 deliveries), which survives a reset of
// this script and a restart of the region.
string MEMORY = "sis:";
integer MEMORY_RESERVE = 4096;

string gService;
string gKey;
string gSecret;
string gUrl;
string gRest;
string gStatus = "starting";
integer gLine;
integer gGiven;
key gLineQuery;
key gUrlRequest;
key gRegistration;
key gNotecard;

say(string text)
{
    gStatus = text;
    llOwnerSay("Dispenser: " + text);
}

// A JSON string. llList2Json is not used: it takes a name such as "[A] lamp [B]" for an array.
string quoted(string text)
{
    text = llReplaceSubString(text, "\\", "\\\\", 0);
    text = llReplaceSubString(text, "\"", "\\\"", 0);
    return "\"" + text + "\"";
}

integer isItem(string name)
{
    return llGetInventoryType(name) != INVENTORY_NONE && name != NOTECARD && name != llGetScriptName();
}

// The names of the first 200 items, for the operator to see.
string itemNames()
{
    string names;
    integer count = llGetInventoryNumber(INVENTORY_ALL);
    integer found = 0;
    integer i;
    for (i = 0; i < count && found < 200; ++i)
    {
        string name = llGetInventoryName(INVENTORY_ALL, i);
        if (isItem(name))
        {
            if (found > 0) names += ",";
            names += quoted(name);
            ++found;
        }
    }
    return "[" + names + "]";
}

requestUrl()
{
    if (gUrl != "") llReleaseURL(gUrl);
    gUrl = "";
    llSetTimerEvent(RETRY);
    gUrlRequest = llRequestSecureURL();
}

register()
{
    string body = "{\"url\":" + quoted(gUrl) + ",\"region\":" + quoted(llGetRegionName())
        + ",\"items\":" + itemNames() + "}";
    // If no answer comes, the timer tries again.
    llSetTimerEvent(RETRY);
    gRegistration = llHTTPRequest(gService + "/v1/dispenser", [
        HTTP_METHOD, "PUT",
        HTTP_MIMETYPE, "application/json",
        HTTP_BODY_MAXLENGTH, 4096,
        HTTP_CUSTOM_HEADER, "X-API-Key", gKey
    ], body);
}

// Takes the first line off gRest.
string takeLine()
{
    integer end = llSubStringIndex(gRest, "\n");
    string line = "";
    if (end < 0)
    {
        line = gRest;
        gRest = "";
        return line;
    }
    if (end > 0) line = llGetSubString(gRest, 0, end - 1);
    gRest = llDeleteSubString(gRest, 0, end);
    return line;
}

// Records a delivery. The ids begin with their time, so the first names in order are the oldest.
remember(string id)
{
    if (llLinksetDataAvailable() < MEMORY_RESERVE)
    {
        list oldest = llLinksetDataFindKeys("^" + MEMORY, 0, 50);
        integer i;
        for (i = 0; i < llGetListLength(oldest); ++i) llLinksetDataDelete(llList2String(oldest, i));
    }
    llLinksetDataWrite(MEMORY + id, "1");
}

// It never answers 404 or 410, which tell the service that this address is gone.
deliver(key request, string body)
{
    if (gSecret == "")
    {
        llHTTPResponse(request, 503, "not ready");
        return;
    }
    gRest = body;
    string signature = takeLine();
    if (llHMAC(gSecret, gRest, "sha256") != signature)
    {
        llHTTPResponse(request, 401, "bad signature");
        return;
    }
    if (takeLine() != "SIS1")
    {
        llHTTPResponse(request, 400, "unknown protocol");
        return;
    }
    integer at = (integer)takeLine();
    string id = takeLine();
    key recipient = (key)takeLine();
    integer expires = (integer)takeLine();
    string item = takeLine();
    string note = gRest;

    integer time = llGetUnixTime();
    if (llAbs(time - at) > MAX_AGE)
    {
        llHTTPResponse(request, 408, "too old");
        return;
    }
    if (llLinksetDataRead(MEMORY + id) != "")
    {
        llHTTPResponse(request, 200, "known " + id);
        return;
    }
    if (time > expires)
    {
        llHTTPResponse(request, 422, "expired");
        return;
    }
    if (!isItem(item))
    {
        say("there is no item \"" + item + "\" to deliver.");
        llHTTPResponse(request, 422, "no such item");
        return;
    }
    if (!(llGetInventoryPermMask(item, MASK_OWNER) & PERM_TRANSFER))
    {
        say("\"" + item + "\" may not be transferred.");
        llHTTPResponse(request, 422, "not transferable");
        return;
    }
    // The gift comes before the record: a crash of the region between them gives an item twice rather than never.
    llGiveInventory(recipient, item);
    remember(id);
    ++gGiven;
    llHTTPResponse(request, 200, "given " + id);
    if (note != "") llInstantMessage(recipient, note);
}

// An address without what people copy along: a slash, or the /v1 of the API's paths.
string baseUrl(string text)
{
    while (llGetSubString(text, -1, -1) == "/") text = llDeleteSubString(text, -1, -1);
    if (llGetSubString(text, -3, -1) == "/v1") text = llDeleteSubString(text, -3, -1);
    return text;
}

readLine(string line)
{
    integer equals = llSubStringIndex(line, "=");
    if (equals < 1) return;
    string name = llToLower(llStringTrim(llGetSubString(line, 0, equals - 1), STRING_TRIM));
    string value = llStringTrim(llDeleteSubString(line, 0, equals), STRING_TRIM);
    if (name == "service") gService = baseUrl(value);
    if (name == "key") gKey = value;
}

default
{
    state_entry()
    {
        if (llGetInventoryType(NOTECARD) != INVENTORY_NOTECARD)
        {
            say("put a notecard named \"" + NOTECARD + "\" into this object.");
            return;
        }
        gNotecard = llGetInventoryKey(NOTECARD);
        gLine = 0;
        gLineQuery = llGetNotecardLine(NOTECARD, gLine);
    }

    on_rez(integer start)
    {
        llResetScript();
    }

    dataserver(key query, string data)
    {
        if (query != gLineQuery) return;
        if (data != EOF)
        {
            readLine(data);
            ++gLine;
            gLineQuery = llGetNotecardLine(NOTECARD, gLine);
            return;
        }
        if (gService == "" || gKey == "")
        {
            say("the notecard lacks its line \"service = ...\" or \"key = ...\".");
            return;
        }
        // Without encryption anybody on the way could read the key and the secret.
        if (llToLower(llGetSubString(gService, 0, 7)) != "https://")
        {
            gService = "";
            say("the address of the service must begin with https://.");
            return;
        }
        requestUrl();
    }

    http_request(key request, string method, string body)
    {
        if (request == gUrlRequest)
        {
            gUrlRequest = NULL_KEY;
            if (method == URL_REQUEST_DENIED)
            {
                say("the region gives out no address: " + body);
                return;
            }
            if (method != URL_REQUEST_GRANTED) return;
            gUrl = body;
            if (llSubStringIndex(gUrl, SHARD) < 0)
            {
                say("this is not the main grid. It stays off.");
                llReleaseURL(gUrl);
                gUrl = "";
                llSetTimerEvent(0.0);
                return;
            }
            register();
            return;
        }
        if (method != "POST")
        {
            llHTTPResponse(request, 405, "POST only");
            return;
        }
        deliver(request, body);
    }

    http_response(key request, integer status, list metadata, string body)
    {
        if (request != gRegistration) return;
        gRegistration = NULL_KEY;
        if (status != 200)
        {
            say("the service answered " + (string)status + ". Next try in a minute.");
            return;
        }
        string secret = llJsonGetValue(body, ["secret"]);
        if (secret == JSON_INVALID || secret == "")
        {
            say("the service answered without a secret.");
            return;
        }
        if (gSecret == "") say("ready.");
        gStatus = "ready.";
        gSecret = secret;
        llSetTimerEvent(RENEW);
    }

    timer()
    {
        if (gUrl == "") requestUrl();
        else register();
    }

    changed(integer change)
    {
        if (change & CHANGED_OWNER) llResetScript();
        // A region's start and a move to another region end the address.
        if (change & (CHANGED_REGION_START | CHANGED_REGION | CHANGED_TELEPORT))
        {
            gUrl = "";
            if (gService != "" && gKey != "") requestUrl();
        }
        if (change & CHANGED_INVENTORY)
        {
            // A new notecard, or the first one. Items change without a reset, since requests may be waiting.
            if (llGetInventoryType(NOTECARD) == INVENTORY_NOTECARD && llGetInventoryKey(NOTECARD) != gNotecard)
                llResetScript();
        }
    }

    touch_start(integer count)
    {
        if (llDetectedKey(0) != llGetOwner()) return;
        llOwnerSay("Dispenser: " + gStatus + " " + (string)gGiven + " deliveries since it was started.");
        if (gUrl != "") register();
    }
}

// Dispenser of the Store Integration Service, protocols SIS1 (deliveries) and SIS1-RESOLVE (names of avatars).
//
// Put this script into one object together with the items of your store and a notecard named "dispenser" that holds
//
//     service = https://the.address.of.your.service
//     key = sis_live_...
//
// The key needs the scope dispenser:register and no other. A line "hover = off" switches the text above the object off. A
// second object in the region with the same notecard stands by. See README.md beside this file.

string NOTECARD = "dispenser";

// Part of the address of every script on the main grid. A copy that ends up on the test grid must not take over.
string SHARD = ".agni.";

// The script refuses older requests, in seconds, so that nobody can replay a recorded one. The limit is longer than the
// 64 requests that may wait for this script take.
integer MAX_AGE = 300;

// The script registers again so often, in seconds. The service then sends the waiting deliveries.
float RENEW = 3600.0;
float RETRY = 60.0;

// Two boxes with the same key in a region talk on a channel that the key makes. One is active. The other asks for it every
// WATCH seconds, and takes over after SILENCE seconds without a word. A box listens for ELECTION seconds before it begins.
float ELECTION = 5.0;
float WATCH = 20.0;
integer SILENCE = 90;
integer STANDBY_AGE = 60;
integer STANDBY_LASTS = 600;

// The pause after a change of the contents, in seconds: a merchant who drops a hundred items in makes a hundred changes.
float SETTLE = 10.0;

// The longest list of item names, in characters, for which there is memory: each takes two bytes, three times over.
integer NAMES = 3000;

// The region looks up 20 names at once and 1.9 a second for all scripts of one owner. Even two spans of five seconds in
// a row stay below that.
integer LOOK_UPS_IN_SPAN = 9;
integer SPAN = 5;

// So many look-ups may wait for the region, and so many seconds. It gives a request up itself after 25.
integer LOOK_UPS = 16;
integer LOOK_UP_SECONDS = 20;

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
integer gRegisteredAt;
integer gSettling;
key gLineQuery;
key gUrlRequest;
key gRegistration;
key gKeyCheck;
key gNotecard;
string gHover;
list gTold;
integer gChannel;
integer gActive;
integer gHeardActive;
integer gHeardStandby;

// Look-ups under way, the oldest first: the region's query, the service's request, when it came, and what it asked.
list gLookUps;
integer STRIDE = 4;
integer gSpan;
integer gInSpan;

// The text above the object is the state, unless the notecard switches it off.
show(string text)
{
    gStatus = text;
    if (gHover == "off") llSetText("", <1.0, 1.0, 1.0>, 0.0);
    else llSetText("Dispenser: " + text, <1.0, 1.0, 1.0>, 1.0);
}

// The owner hears each trouble once, offline as well, until the box is ready again.
complain(string text)
{
    show(text);
    if (llListFindList(gTold, [text]) >= 0) return;
    if (llGetListLength(gTold) >= 10) gTold = [];
    gTold += text;
    llInstantMessage(llGetOwner(), "Dispenser: " + text);
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

// The names of all items, for the doctor of the operator, or none at all if they are too many.
string itemNames()
{
    string names;
    integer count = llGetInventoryNumber(INVENTORY_ALL);
    integer i;
    for (i = 0; i < count; ++i)
    {
        string name = llGetInventoryName(INVENTORY_ALL, i);
        if (isItem(name))
        {
            if (names != "") names += ",";
            names += quoted(name);
            if (llStringLength(names) > NAMES) return "[]";
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
    gRegisteredAt = llGetUnixTime();
    gSettling = FALSE;
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

// Tells the other box. The signature keeps strangers on the channel from being believed.
tellOther(string word, string text)
{
    string message = word + "\n" + (string)llGetUnixTime() + "\n" + text;
    llRegionSay(gChannel, llHMAC(gKey, message, "sha256") + "\n" + message);
}

activate()
{
    gActive = TRUE;
    requestUrl();
}

// The other box delivers, and this one remembers what it has given.
standBy()
{
    if (gUrl != "") llReleaseURL(gUrl);
    gUrl = "";
    gUrlRequest = NULL_KEY;
    gRegistration = NULL_KEY;
    gActive = FALSE;
    show("standing by: another box is active.");
    llSetTimerEvent(WATCH);
}

deliver(key request, string id)
{
    key recipient = (key)takeLine();
    integer expires = (integer)takeLine();
    string item = takeLine();
    string note = gRest;

    if (llLinksetDataRead(MEMORY + id) != "")
    {
        llHTTPResponse(request, 200, "known " + id);
        return;
    }
    if (llGetUnixTime() > expires)
    {
        llHTTPResponse(request, 422, "expired");
        return;
    }
    if (!isItem(item))
    {
        llHTTPResponse(request, 422, "no such item");
        complain("there is no item \"" + item + "\" to deliver. Put one of exactly that name into this object, or correct the product.");
        return;
    }
    if (!(llGetInventoryPermMask(item, MASK_OWNER) & PERM_TRANSFER))
    {
        llHTTPResponse(request, 422, "not transferable");
        complain("\"" + item + "\" may not be transferred. Put one with the transfer permission in its place.");
        return;
    }
    // The gift comes before the record: a crash of the region between them gives an item twice rather than never.
    llGiveInventory(recipient, item);
    remember(id);
    if (standbyIsThere()) tellOther("given", id);
    ++gGiven;
    llHTTPResponse(request, 200, "given " + id);
    if (note != "") llInstantMessage(recipient, note);
}

integer isKey(string text)
{
    if ((key)text) return TRUE;
    return FALSE;
}

// A username as the service writes it: ada.lovelace, or ada for Ada Resident.
string canonical(string name)
{
    name = llReplaceSubString(llToLower(llStringTrim(name, STRING_TRIM)), " ", ".", 0);
    if (llGetSubString(name, -9, -1) == ".resident") return llDeleteSubString(name, -9, -1);
    return name;
}

// Gives up look-ups that the region has not answered. It never answers for a UUID that is no avatar's.
forgetLookUps()
{
    while (llGetListLength(gLookUps) > 0 && llGetUnixTime() - llList2Integer(gLookUps, 2) >= LOOK_UP_SECONDS)
    {
        llHTTPResponse(llList2Key(gLookUps, 1), 503, "no answer");
        gLookUps = llDeleteSubList(gLookUps, 0, STRIDE - 1);
    }
}

integer mayLookUp()
{
    integer time = llGetUnixTime();
    if (llAbs(time - gSpan) >= SPAN)
    {
        gSpan = time;
        gInSpan = 0;
    }
    if (gInSpan >= LOOK_UPS_IN_SPAN) return FALSE;
    if (llGetListLength(gLookUps) >= LOOK_UPS * STRIDE) return FALSE;
    ++gInSpan;
    return TRUE;
}

// Asks the region whose name or UUID it is, online or not. Its answer is a dataserver event.
resolve(key request)
{
    string name = takeLine();
    forgetLookUps();
    if (!mayLookUp())
    {
        llHTTPResponse(request, 503, "too many look-ups");
        return;
    }
    key query;
    if (isKey(name)) query = llRequestUsername(name);
    else query = llRequestUserKey(name);
    if (query == NULL_KEY)
    {
        llHTTPResponse(request, 503, "the region looks nothing up");
        return;
    }
    gLookUps += [query, request, llGetUnixTime(), name];
}

// Answers the look-up at that place of the list with what the region found.
resolved(integer place, string found)
{
    key request = llList2Key(gLookUps, place + 1);
    string name = llList2String(gLookUps, place + 3);
    gLookUps = llDeleteSubList(gLookUps, place, place + STRIDE - 1);
    if (isKey(name))
    {
        found = canonical(found);
        // The region says ??? for a name that it cannot get now.
        if (found == "" || llSubStringIndex(found, "?") >= 0) llHTTPResponse(request, 503, "no name");
        else llHTTPResponse(request, 200, name + " " + found);
    }
    else if (isKey(found)) llHTTPResponse(request, 200, found + " " + name);
    else llHTTPResponse(request, 200, "-");
}

integer standbyIsThere()
{
    return llGetUnixTime() - gHeardStandby < STANDBY_LASTS;
}

// A box that the region froze wakes up with old requests, which its standby may have been sent too by then. It takes none
// that is older than the standby's patience.
integer maxAge()
{
    if (standbyIsThere()) return STANDBY_AGE;
    return MAX_AGE;
}

integer rank(string box)
{
    return (integer)("0x" + llGetSubString(box, 0, 6));
}

// A word of the other box.
hear(string message)
{
    gRest = message;
    if (llHMAC(gKey, llDeleteSubString(message, 0, llSubStringIndex(message, "\n")), "sha256") != takeLine()) return;
    string word = takeLine();
    if (llAbs(llGetUnixTime() - (integer)takeLine()) > MAX_AGE) return;
    if (word == "who")
    {
        gHeardStandby = llGetUnixTime();
        if (gActive) tellOther("active", (string)llGetKey());
        return;
    }
    gHeardActive = llGetUnixTime();
    if (word == "given") remember(gRest);
    else if (word == "active" && gActive)
    {
        // Both are: the one with the lower key stays, and makes sure that the service knows its address.
        if (rank(llGetKey()) > rank(gRest)) standBy();
        else if (gUrl != "") register();
    }
}

// It never answers 404 or 410, which tell the service that this address is gone.
serve(key request, string body)
{
    if (gSecret == "" || !gActive)
    {
        llHTTPResponse(request, 503, "not ready");
        return;
    }
    gRest = body;
    string signature = takeLine();
    if (llHMAC(gSecret, gRest, "sha256") != signature)
    {
        llHTTPResponse(request, 401, "bad signature");
        // The secret may be another one by now, which the answer to a registration says.
        if (llGetUnixTime() - gRegisteredAt >= RETRY) register();
        return;
    }
    string protocol = takeLine();
    integer at = (integer)takeLine();
    string id = takeLine();
    if (protocol != "SIS1" && protocol != "SIS1-RESOLVE")
    {
        llHTTPResponse(request, 400, "unknown protocol");
        return;
    }
    if (llAbs(llGetUnixTime() - at) > maxAge())
    {
        llHTTPResponse(request, 408, "too old");
        return;
    }
    if (protocol == "SIS1") deliver(request, id);
    else resolve(request);
}

// The service refused the registration. Most reasons do not reach a script, which sees 415 in their place.
refused(integer status, string body)
{
    if (status == 401 || status == 403 || status == 415)
    {
        // Every live key may call this. The answer says what the key may do.
        gKeyCheck = llHTTPRequest(gService + "/v1/store", [HTTP_METHOD, "GET", HTTP_CUSTOM_HEADER, "X-API-Key", gKey], "");
        return;
    }
    string detail = llJsonGetValue(body, ["detail"]);
    if (detail == JSON_INVALID) detail = "";
    complain("the service answered " + (string)status + ". Next try in a minute. " + detail);
}

keyChecked(integer status, string body)
{
    if (status == 401 || status == 403 || status == 415)
    {
        complain("the service does not accept the key in the notecard: it is mistyped, revoked or expired, or not of this service. Ask the operator for a new one and put it there.");
        return;
    }
    string scopes = llJsonGetValue(body, ["key", "scopes"]);
    if (status == 200 && scopes != JSON_INVALID && llSubStringIndex(scopes, "\"dispenser:register\"") < 0)
        complain("the key \"" + llJsonGetValue(body, ["key", "name"]) + "\" lacks the scope dispenser:register. It has " + scopes
            + ". Put a key with that scope into the notecard.");
    else complain("the service refuses the registration, or is busy. Next try in a minute.");
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
    if (name == "hover") gHover = llToLower(value);
}

default
{
    state_entry()
    {
        if (llGetInventoryType(NOTECARD) != INVENTORY_NOTECARD)
        {
            complain("put a notecard named \"" + NOTECARD + "\" into this object.");
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
        integer place = llListFindList(gLookUps, [query]);
        if (place >= 0)
        {
            resolved(place, data);
            return;
        }
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
            complain("the notecard lacks its line \"service = ...\" or \"key = ...\".");
            return;
        }
        // Without encryption anybody on the way could read the key and the secret.
        if (llToLower(llGetSubString(gService, 0, 7)) != "https://")
        {
            gService = "";
            complain("the address of the service must begin with https://. Correct it in the notecard.");
            return;
        }
        gChannel = (integer)("0x" + llGetSubString(llSHA256String(gService + gKey), 0, 6)) | 0x80000000;
        llListen(gChannel, "", NULL_KEY, "");
        show("looking for another box.");
        tellOther("who", "");
        llSetTimerEvent(ELECTION);
    }

    listen(integer channel, string name, key id, string message)
    {
        hear(message);
    }

    http_request(key request, string method, string body)
    {
        if (request == gUrlRequest)
        {
            gUrlRequest = NULL_KEY;
            if (method == URL_REQUEST_DENIED)
            {
                complain("the region has no address left for scripts. Move this object to another region, or remove other scripts that use addresses. Next try in a minute.");
                return;
            }
            if (method != URL_REQUEST_GRANTED) return;
            gUrl = body;
            if (llSubStringIndex(gUrl, SHARD) < 0)
            {
                complain("this is not the main grid. It stays off here: use it on the main grid.");
                llReleaseURL(gUrl);
                gUrl = "";
                gActive = FALSE;
                gChannel = 0;
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
        serve(request, body);
    }

    http_response(key request, integer status, list metadata, string body)
    {
        if (request == gKeyCheck)
        {
            gKeyCheck = NULL_KEY;
            keyChecked(status, body);
            return;
        }
        if (request != gRegistration) return;
        gRegistration = NULL_KEY;
        if (status != 200)
        {
            refused(status, body);
            return;
        }
        string secret = llJsonGetValue(body, ["secret"]);
        if (secret == JSON_INVALID || secret == "")
        {
            complain("the service answered without a secret.");
            return;
        }
        if (gStatus != "ready.")
        {
            gTold = [];
            show("ready.");
            llOwnerSay("Dispenser: ready.");
            tellOther("active", (string)llGetKey());
        }
        gSecret = secret;
        llSetTimerEvent(RENEW);
    }

    timer()
    {
        if (gActive)
        {
            if (gUrl == "") requestUrl();
            else register();
            return;
        }
        if (llGetUnixTime() - gHeardActive >= SILENCE) activate();
        else if (gStatus != "standing by: another box is active.") standBy();
        if (!gActive) tellOther("who", "");
    }

    changed(integer change)
    {
        if (change & CHANGED_OWNER) llResetScript();
        // A region's start and a move to another region end the address.
        if (change & (CHANGED_REGION_START | CHANGED_REGION | CHANGED_TELEPORT))
        {
            gUrl = "";
            // The line of the notecard that it waited for never comes.
            if (gChannel == 0 && gTold == []) llResetScript();
            if (gActive) requestUrl();
        }
        if (change & CHANGED_INVENTORY)
        {
            // A new notecard, or the first one. Items change without a reset, since requests may be waiting.
            if (llGetInventoryType(NOTECARD) == INVENTORY_NOTECARD && llGetInventoryKey(NOTECARD) != gNotecard)
                llResetScript();
            // The timer registers again, with the new list of items.
            if (gUrl != "" && !gSettling)
            {
                gSettling = TRUE;
                llSetTimerEvent(SETTLE);
            }
        }
    }

    touch_start(integer count)
    {
        if (llDetectedKey(0) != llGetOwner()) return;
        llOwnerSay("Dispenser: " + gStatus + " " + (string)gGiven + " deliveries since it was started.");
        if (gActive && gUrl != "") register();
    }
}
